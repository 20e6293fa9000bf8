/// Recursive doubling allreduce: partners at distance 1, 2, 4, ... exchange whole vectors and
/// combine them.
///
///     p = 4       rank 0    rank 1    rank 2    rank 3
///     start       a         b         c         d
///     stage 1     ab        ab        cd        cd
///     stage 2     abcd      abcd      abcd      abcd
///
/// floor(log2 p) messages of n bytes per rank; ranks beyond the largest power of two fold their
/// vector into another rank first and get the result last (+2 stages). An empty vector is not sent;
/// otherwise messages and bits are those of recursive_k with radix 2. It is implemented separately
/// because every instruction counts for short vectors on MPI, and recursive_k needs integer
/// divisions. thakur2005; "exchsum" of PSTSWM (worley1998).
#include "tradewind/comm/allreduce/algorithms.hpp"
#include "tradewind/comm/allreduce/pieces.hpp"
#include "tradewind/comm/allreduce/power_of_two.hpp"
#include "tradewind/comm/allreduce/totals.hpp"
#include "tradewind/comm/protocol/stages.hpp"

namespace tradewind {

namespace {

/// The stages of one rank: stage 0 folds, then there is one per level, and the last stage returns
/// the result to the folded ranks.
class DoublingStages {
public:
    static constexpr std::string_view operation = "allreduce";
    static constexpr Tag tag = tags::allreduce;

    DoublingStages(const Comm& comm, const Allreduce& vector)
        : rank_(comm.rank()),
          ends_(comm.rank(), comm.size(), PowerOfTwo::Fold::into_last),
          vector_(vector),
          arrived_(comm, vector.data) {
        require_whole_elements(vector, "allreduce recursive_doubling");
    }

    [[nodiscard]] bool is_over() const noexcept { return stage_ > last(); }
    void next() noexcept { stage_ = ends_.after(stage_, last()); }

    [[nodiscard]] MessagePair pair() const {
        if (stage_ == 0) return ends_.fold(vector_.data, arrived_.buffer());
        if (stage_ == last()) return ends_.unfold(vector_.data);
        const Rank partner = partner_of_stage();
        return {partner, vector_.data, partner, arrived_.buffer(), swaps_first(rank_, partner)};
    }

    /// Combines in the order of the ranks, so that both partners get the same bits.
    void finish(Comm& comm) const {
        if (stage_ == last() || (stage_ == 0 && !ends_.represents())) return;
        if (stage_ == 0 || rank_ < partner_of_stage()) {
            combine(comm, vector_.reduction, arrived_.buffer(), vector_.data);
        } else {
            combine(comm, vector_.reduction, vector_.data, arrived_.buffer());
            copy(comm, arrived_.buffer(), vector_.data);
        }
    }

private:
    [[nodiscard]] int last() const noexcept { return ends_.levels() + 1; }
    [[nodiscard]] Rank partner_of_stage() const noexcept {
        return rank_ ^ (Rank{1} << (stage_ - 1));
    }

    Rank rank_;
    PowerOfTwo ends_;
    const Allreduce& vector_;
    ArrivedVector arrived_;
    int stage_ = 0;
};

}  // namespace

Task allreduce_recursive_doubling(Comm& comm, Allreduce vector, Options options) {
    return run_stages<DoublingStages>(comm, vector, options);
}

extern const AllreduceAlgorithm allreduce_recursive_doubling_entry;
constinit const AllreduceAlgorithm allreduce_recursive_doubling_entry = {
    .name = "recursive_doubling",
    .summary = "pairs exchange whole vectors, log2 P stages",
    .run = allreduce_recursive_doubling,
    .total = doubling_totals,
    .has_protocols = true,
};

extern const AllreduceAlgorithm allreduce_exchsum_entry;
constinit const AllreduceAlgorithm allreduce_exchsum_entry = {
    .name = "exchsum",
    .summary = "recursive doubling: log2 P SWAPs of whole vectors (worley1998)",
    .run = allreduce_recursive_doubling,
    .total = doubling_totals,
    .has_protocols = true,
};

}  // namespace tradewind

/// Rabenseifner's allreduce: reduce-scatter by recursive halving, then allgather by recursive
/// doubling.
///
///     p = 4           rank 0     rank 1     rank 2     rank 3       (segments 0 1 2 3; * reduced)
///     halving 2       01         01         23         23           with the rank at distance 2
///     halving 1       0*         1*         2*         3*           with the rank at distance 1
///     doubling 1      01*        01*        23*        23*
///     doubling 2      0123*      0123*      0123*      0123*
///
/// 2 floor(log2 p) messages and 2n(p-1)/p bytes per rank. If p is not a power of two, the ranks
/// beyond the largest power of two fold their vector into a core rank first and get the result
/// last: 2 more messages of n bytes. Segments are whole elements; empty ones are not sent. Each
/// segment is reduced on one rank, so all ranks get the same bits. thakur2005; "halfsum" of PSTSWM
/// (worley1998).
#include "tradewind/comm/allreduce/algorithms.hpp"
#include "tradewind/comm/allreduce/halving.hpp"
#include "tradewind/comm/allreduce/pieces.hpp"
#include "tradewind/comm/allreduce/power_of_two.hpp"
#include "tradewind/comm/allreduce/totals.hpp"
#include "tradewind/comm/protocol/stages.hpp"

namespace tradewind {

namespace {

/// The stages of one rank: stage 0 folds, then there are log2 halvings and as many doublings, and
/// the last stage returns the result to the folded ranks. A halving divides the segments that a
/// rank and its partner share: one half stays and is reduced, the other one goes to the partner.
/// The doubling of the same step brings it back.
class HalvingStages {
public:
    static constexpr std::string_view operation = "allreduce";
    static constexpr Tag tag = tags::allreduce;

    HalvingStages(const Comm& comm, const Allreduce& vector, const Butterfly* butterfly)
        : vector_(vector),
          butterfly_(*butterfly),
          ranks_(comm.size()),
          rank_(butterfly->number == nullptr ? comm.rank()
                                             : butterfly->number(comm.rank(), ranks_)),
          ends_(rank_, ranks_),
          position_(ends_.is_extra() ? 0 : butterfly->position(rank_, ends_.levels())),
          segments_(vector, ends_.core()),
          arrived_(comm, vector.data, longest_arrival()) {}

    [[nodiscard]] bool is_over() const noexcept { return stage_ > last(); }
    void next() noexcept { stage_ = ends_.after(stage_, last()); }

    [[nodiscard]] MessagePair pair() const {
        MessagePair messages = numbered_pair();
        if (butterfly_.rank != nullptr) {
            if (messages.to != nobody) messages.to = butterfly_.rank(messages.to, ranks_);
            if (messages.from != nobody) messages.from = butterfly_.rank(messages.from, ranks_);
        }
        return messages;
    }
    void finish(Comm& comm) const {
        if (stage_ == 0 && ends_.represents()) {
            combine(comm, vector_.reduction, arrived_.buffer(), vector_.data);
        } else if (halves()) {
            const Buffer half = mine();
            combine(comm, vector_.reduction, arrived_.first(half.size()), half);
        }
    }

private:
    /// Returns the messages of the stage, with the numbers of the partners.
    [[nodiscard]] MessagePair numbered_pair() const {
        if (stage_ == 0) return ends_.fold(vector_.data, arrived_.buffer());
        if (stage_ == last()) return ends_.unfold(vector_.data);
        if (halves()) return swap(theirs(), arrived_.first(mine().size()));
        return swap(mine(), theirs());
    }
    [[nodiscard]] int last() const noexcept { return 2 * ends_.levels() + 1; }
    [[nodiscard]] bool halves() const noexcept { return stage_ > 0 && stage_ <= ends_.levels(); }
    /// Returns the number of the halving, counted from 0, or of the one that a doubling reverses.
    [[nodiscard]] int step() const noexcept {
        return halves() ? stage_ - 1 : 2 * ends_.levels() - stage_;
    }
    [[nodiscard]] MessagePair swap(Buffer out, Buffer in) const noexcept {
        const Rank partner = butterfly_.partner(rank_, step(), ends_.levels());
        return {partner, out, partner, in, swaps_first(rank_, partner)};
    }
    /// Returns the segments that stay on this rank in the halving.
    [[nodiscard]] Buffer mine() const noexcept { return half(position_); }
    /// Returns the segments that go to the partner in the halving.
    [[nodiscard]] Buffer theirs() const noexcept { return half(position_ ^ width()); }
    [[nodiscard]] Buffer half(Rank position) const noexcept {
        return segments_.part(position & -width(), width());
    }
    [[nodiscard]] Rank width() const noexcept { return ends_.core() >> (step() + 1); }
    /// Returns the largest number of bytes that arrive before they are combined.
    [[nodiscard]] Bytes longest_arrival() const noexcept {
        if (ends_.is_extra()) return 0;
        return ends_.represents() ? vector_.data.size() : segments_.largest(ends_.core() / 2);
    }

    const Allreduce& vector_;
    const Butterfly& butterfly_;
    Rank ranks_;
    /// The number of this rank in the butterfly.
    Rank rank_;
    PowerOfTwo ends_;
    Rank position_;
    Segments segments_;
    ArrivedVector arrived_;
    int stage_ = 0;
};

Rank partner_in_cube(Rank rank, int step, int levels) noexcept {
    return rank ^ (Rank{1} << (levels - 1 - step));
}
Rank position_in_cube(Rank rank, int /*levels*/) noexcept {
    return rank;
}
constexpr Butterfly cube{partner_in_cube, position_in_cube};

}  // namespace

Task allreduce_by_halving(Comm& comm, Allreduce vector, Options options,
                          const Butterfly& butterfly) {
    return run_stages<HalvingStages>(comm, vector, options, &butterfly);
}

namespace {

Task allreduce_rabenseifner(Comm& comm, Allreduce vector, Options options) {
    require_whole_elements(vector, "allreduce rabenseifner");
    return allreduce_by_halving(comm, vector, options, cube);
}

}  // namespace

extern const AllreduceAlgorithm allreduce_rabenseifner_entry;
constinit const AllreduceAlgorithm allreduce_rabenseifner_entry = {
    .name = "rabenseifner",
    .summary = "reduce-scatter by halving, allgather by doubling",
    .run = allreduce_rabenseifner,
    .total = halving_totals,
    .has_protocols = true,
};

extern const AllreduceAlgorithm allreduce_halfsum_entry;
constinit const AllreduceAlgorithm allreduce_halfsum_entry = {
    .name = "halfsum",
    .summary = "rabenseifner: SWAPs of halves, quarters, ... and back (worley1998)",
    .run = allreduce_rabenseifner,
    .total = halving_totals,
    .has_protocols = true,
};

}  // namespace tradewind

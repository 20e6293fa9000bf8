/// Bine allreduce: reduction to rank 0 along a tree whose steps alternate in direction, then
/// broadcast down the same tree.
///
///     p = 8           rank 0    1     2     3     4     5     6     7
///     up 1            01        .     .     23    45    .     .     67       1 to 0, 2 to 3, ...
///     up 2            0167      .     .     2345  .     .     .     .        7 to 0, 4 to 3
///     up 3            0..7      .     .     .     .     .     .     .        3 to 0
///     down            0 to 3; 0 to 7, 3 to 4; 0 to 1, 3 to 2, 4 to 5, 7 to 6
///
/// 2(p-1) messages of n bytes in total, 2 ceil(log2 p) stages. The partners of a stage are nearer
/// to each other than in a binomial tree, so that fewer messages leave a group of neighbouring
/// ranks. Ranks beyond a power of two fold first. The result is copied, so all ranks get the same
/// bits. desensi2025.
#include "tradewind/comm/allreduce/algorithms.hpp"
#include "tradewind/comm/allreduce/pieces.hpp"
#include "tradewind/comm/allreduce/power_of_two.hpp"
#include "tradewind/comm/allreduce/totals.hpp"
#include "tradewind/comm/bcast/bine_tree.hpp"
#include "tradewind/comm/protocol/stages.hpp"

namespace tradewind {

namespace {

/// The stages of one rank: fold, from each child, to the parent, from the parent, to each child,
/// and return the result to the folded rank.
class BineStages {
public:
    static constexpr std::string_view operation = "allreduce";
    static constexpr Tag tag = tags::allreduce;

    BineStages(const Comm& comm, const Allreduce& vector)
        : vector_(vector),
          ends_(comm.rank(), comm.size()),
          tree_(comm.rank(), comm.size()),
          children_(tree_.parent_step()),
          has_parent_(comm.rank() > 0),
          arrived_(comm, vector.data, ends_.is_extra() ? 0 : vector.data.size()) {}

    [[nodiscard]] bool is_over() const noexcept { return stage_ > last(); }
    void next() noexcept { stage_ = ends_.after(stage_, last()); }

    [[nodiscard]] MessagePair pair() const {
        if (stage_ == 0) return ends_.fold(vector_.data, arrived_.buffer());
        if (stage_ == last()) return ends_.unfold(vector_.data);
        if (stage_ <= children_) return from(tree_.child(stage_ - 1), arrived_.buffer());
        if (stage_ > children_ + 2) return to(tree_.child(last() - 1 - stage_));
        if (!has_parent_) return {};
        return stage_ == children_ + 1 ? to(tree_.parent()) : from(tree_.parent(), vector_.data);
    }
    void finish(Comm& comm) const {
        if (stage_ == 0 ? ends_.represents() : stage_ <= children_)
            combine(comm, vector_.reduction, arrived_.buffer(), vector_.data);
    }

private:
    [[nodiscard]] int last() const noexcept { return 2 * children_ + 3; }
    [[nodiscard]] MessagePair to(Rank other) const noexcept {
        return {other, vector_.data, nobody, Buffer()};
    }
    [[nodiscard]] static MessagePair from(Rank other, Buffer in) noexcept {
        return {nobody, ConstBuffer(), other, in};
    }

    const Allreduce& vector_;
    PowerOfTwo ends_;
    BineTree tree_;
    int children_;
    bool has_parent_;
    ArrivedVector arrived_;
    int stage_ = 0;
};

Task allreduce_bine(Comm& comm, Allreduce vector, Options options) {
    require_whole_elements(vector, "allreduce bine");
    return run_stages<BineStages>(comm, vector, options);
}

/// Returns the totals of the tree, or none for an empty vector, which is not sent.
MessageTotals totals(Rank ranks, std::int64_t radix, std::int64_t length) {
    return length > 0 ? tree_totals(ranks, radix, length) : MessageTotals{};
}

}  // namespace

extern const AllreduceAlgorithm allreduce_bine_entry;
constinit const AllreduceAlgorithm allreduce_bine_entry = {
    .name = "bine",
    .summary = "reduction and broadcast along a tree of near partners (desensi2025)",
    .run = allreduce_bine,
    .total = totals,
    .has_protocols = true,
};

}  // namespace tradewind

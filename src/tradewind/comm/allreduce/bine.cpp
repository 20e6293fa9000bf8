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
#include "tradewind/comm/allreduce/staged.hpp"
#include "tradewind/comm/bcast/bine_tree.hpp"

namespace tradewind {

namespace {

/// The stages of one rank: stage 0 folds, then there is one per level up and one per level down,
/// and the last stage returns the result to the folded ranks.
class BinePlan {
public:
    BinePlan(const Comm& comm, const Allreduce& vector)
        : ends_(comm.rank(), comm.size()),
          tree_(comm.rank(), comm.size()),
          vector_(vector),
          arrived_(vector.data, ends_.is_extra() ? 0 : vector.data.size(), 1) {}

    [[nodiscard]] int last() const noexcept { return 2 * ends_.levels() + 1; }

    [[nodiscard]] MessagePair pair(int stage) const {
        if (stage == 0) return ends_.fold(vector_.data, arrived_[0]);
        if (stage == last()) return ends_.unfold(vector_.data);
        const int step = step_of(stage);
        const bool rises = stage <= ends_.levels();
        if (tree_.has_child(step)) {
            const Rank child = tree_.child(step);
            if (rises) return {child, ConstBuffer(), child, arrived_[0]};
            return {child, vector_.data, child, Buffer()};
        }
        if (step != tree_.parent_step()) return {};
        const Rank parent = tree_.parent();
        if (rises) return {parent, vector_.data, parent, Buffer()};
        return {parent, ConstBuffer(), parent, vector_.data};
    }

    void combine(Comm& comm, int stage) const {
        const bool folds = stage == 0 && !ends_.is_alone() && !ends_.is_extra();
        const bool rises = stage > 0 && stage <= ends_.levels();
        if (folds || (rises && tree_.has_child(step_of(stage))))
            tradewind::combine(comm, vector_.reduction, arrived_[0], vector_.data);
    }

private:
    [[nodiscard]] int step_of(int stage) const noexcept {
        return stage <= ends_.levels() ? stage - 1 : 2 * ends_.levels() - stage;
    }

    PowerOfTwo ends_;
    BineTree tree_;
    Allreduce vector_;
    Slots arrived_;
};

}  // namespace

Task allreduce_bine(Comm& comm, Allreduce vector, Options options) {
    require_whole_elements(vector, "allreduce bine");
    return run_stages<BinePlan>(comm, vector, options);
}

}  // namespace tradewind

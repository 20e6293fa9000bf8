/// BineTree: a tree over ranks 0..p-1 with root 0, whose steps alternate in direction.
#pragma once

#include <bit>

#include "tradewind/comm/comm.hpp"
#include "tradewind/comm/negabinary.hpp"

namespace tradewind {

/// A binomial negabinary tree. The path from rank 0 to a rank takes steps in falling order; the
/// last, lowest step leads from the parent.
///
///     p = 8, steps 2 1 0      0 -> 3 7 1      3 -> 4 2      7 -> 6      4 -> 5
///
/// Ranks from the largest power of two c on are leaves: rank r is a child of rank r - c. The
/// distances halve from step to step (desensi2025).
class BineTree {
public:
    BineTree(Rank rank, Rank ranks) noexcept
        : rank_(rank),
          ranks_(ranks),
          core_(Rank(std::bit_floor(std::uint64_t(ranks)))),
          steps_(std::countr_zero(std::uint64_t(core_))) {
        if (is_extra()) return;
        const std::uint64_t way = Negabinary(steps_).falling(rank);
        parent_step_ = way == 0 ? steps_ : std::countr_zero(way);
    }
    [[nodiscard]] int steps() const noexcept { return steps_; }
    /// Returns the step that leads to this rank; steps() for the root, -1 for ranks beyond the
    /// power of two.
    [[nodiscard]] int parent_step() const noexcept { return parent_step_; }
    [[nodiscard]] Rank parent() const noexcept {
        return is_extra() ? rank_ - core_ : Negabinary(steps_).partner(rank_, parent_step_);
    }
    [[nodiscard]] bool has_child(int step) const noexcept { return step < parent_step_; }
    [[nodiscard]] Rank child(int step) const noexcept {
        return Negabinary(steps_).partner(rank_, step);
    }
    /// Calls visit(child) for each child, from the largest subtree to the smallest.
    template <class Visit>
    void for_each_child(Visit visit) const {
        for (int step = parent_step_ - 1; step >= 0; --step) visit(child(step));
        if (!is_extra() && rank_ + core_ < ranks_) visit(rank_ + core_);
    }

private:
    [[nodiscard]] bool is_extra() const noexcept { return rank_ >= core_; }

    Rank rank_;
    Rank ranks_;
    Rank core_;
    int steps_;
    int parent_step_ = -1;
};

}  // namespace tradewind

/// BineTree: a tree over ranks 0..p-1 with root 0, whose steps alternate in direction.
#pragma once

#include <bit>

#include "tradewind/comm/comm.hpp"
#include "tradewind/comm/negabinary.hpp"

namespace tradewind {

/// The way from rank 0 to a rank takes falling steps; the last, lowest one leads from the parent.
///
///     p = 8, steps 2 1 0      0 -> 3 7 1      3 -> 4 2      7 -> 6      4 -> 5
///
/// Ranks from the largest power of two on are leaves, and children of the rank that many below.
/// Binomial negabinary tree with distances that halve (desensi2025).
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
    /// The step that leads here; steps() for the root, -1 for ranks beyond the power of two.
    [[nodiscard]] int parent_step() const noexcept { return parent_step_; }
    [[nodiscard]] Rank parent() const noexcept {
        return is_extra() ? rank_ - core_ : Negabinary(steps_).partner(rank_, parent_step_);
    }
    [[nodiscard]] bool has_child(int step) const noexcept { return step < parent_step_; }
    [[nodiscard]] Rank child(int step) const noexcept {
        return Negabinary(steps_).partner(rank_, step);
    }
    /// From the largest subtrees to the smallest.
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

/// KAry: a tree over ranks 0..p-1 with root 0, whose levels have 1, k, k^2, ... ranks.
#pragma once

#include "tradewind/comm/types.hpp"

namespace tradewind {

/// A k-ary tree: every rank but those of the last levels has k children. The ranks of a level
/// follow those of the level above, and every second, third, ... of them has the same parent.
///
///     p = 9, k = 2        0 -> 1 2      1 -> 3 5      2 -> 4 6      3 -> 7      4 -> 8
class KAry {
public:
    KAry(Rank rank, Rank ranks, Rank radix) noexcept : rank_(rank), ranks_(ranks), radix_(radix) {
        while (rank_ >= first_ + width_) {
            first_ += width_;
            width_ *= radix_;
        }
    }
    [[nodiscard]] Rank parent() const noexcept {
        const Rank above = width_ / radix_;
        return first_ - above + (rank_ - first_) % above;
    }
    /// Calls visit(child) for each child, from the largest subtree to the smallest.
    template <class Visit>
    void for_each_child(Visit visit) const {
        for (Rank i = 1; i <= radix_ && rank_ + i * width_ < ranks_; ++i) visit(rank_ + i * width_);
    }

private:
    Rank rank_;
    Rank ranks_;
    Rank radix_;
    /// The first rank of the level of this one, and the ranks that a full level has there.
    Rank first_ = 0;
    Rank width_ = 1;
};

}  // namespace tradewind

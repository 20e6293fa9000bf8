/// Knomial: a tree over ranks 0..p-1 with root 0, in which the parent of a rank has its lowest
/// nonzero digit cleared.
#pragma once

#include <algorithm>

#include "tradewind/comm/comm.hpp"

namespace tradewind {

/// A k-nomial tree on the digits of the ranks in base `radix`; radix 2 gives the binomial tree. The
/// ranks of a subtree follow its root without a gap.
///
///     p = 9, radix 3      0 -> 1 2 3 6      3 -> 4 5      6 -> 7 8
class Knomial {
public:
    Knomial(Rank rank, Rank ranks, Rank radix) noexcept
        : rank_(rank), ranks_(ranks), radix_(radix) {
        while (top_ < ranks && rank / top_ % radix == 0) top_ *= radix;
    }
    /// Returns the weight of the lowest nonzero digit; for the root the first power of the radix
    /// not below p.
    [[nodiscard]] Rank top() const noexcept { return top_; }
    [[nodiscard]] Rank parent() const noexcept { return rank_ - rank_ / top_ % radix_ * top_; }
    /// Returns the number of children that differ in the digit of `weight`, a power of the radix
    /// below top().
    [[nodiscard]] Rank children(Rank weight) const noexcept {
        return std::min(radix_ - 1, (ranks_ - 1 - rank_) / weight);
    }
    [[nodiscard]] Rank child(Rank weight, Rank index) const noexcept {
        return rank_ + (index + 1) * weight;
    }
    /// Returns the largest number of children of one weight.
    [[nodiscard]] Rank most_children() const noexcept { return top_ > 1 ? children(1) : 0; }
    /// Returns the number of all children.
    [[nodiscard]] Rank all_children() const noexcept {
        Rank count = 0;
        for (Rank weight = top_ / radix_; weight > 0; weight /= radix_) count += children(weight);
        return count;
    }
    /// Returns one of all children, counted from the largest subtree to the smallest.
    [[nodiscard]] Rank any_child(Rank index) const noexcept {
        Rank weight = top_ / radix_;
        for (; index >= children(weight); weight /= radix_) index -= children(weight);
        return child(weight, index);
    }
    /// Calls visit(child) for each child, from the largest subtree to the smallest.
    template <class Visit>
    void for_each_child(Visit visit) const {
        for (Rank weight = top_ / radix_; weight > 0; weight /= radix_) {
            for (Rank i = 0; i < children(weight); ++i) visit(child(weight, i));
        }
    }

private:
    Rank rank_;
    Rank ranks_;
    Rank radix_;
    Rank top_ = 1;
};

}  // namespace tradewind

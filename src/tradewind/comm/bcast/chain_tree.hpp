/// ChainTree: a tree over ranks 0..p-1 with root 0, in which every rank has one child.
#pragma once

#include "tradewind/comm/types.hpp"

namespace tradewind {

class ChainTree {
public:
    ChainTree(Rank rank, Rank ranks) noexcept : rank_(rank), ranks_(ranks) {}
    [[nodiscard]] Rank parent() const noexcept { return rank_ - 1; }
    template <class Visit>
    void for_each_child(Visit visit) const {
        if (rank_ + 1 < ranks_) visit(rank_ + 1);
    }

private:
    Rank rank_;
    Rank ranks_;
};

}  // namespace tradewind

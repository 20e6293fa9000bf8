/// BlockTree: the binomial tree along which blocks travel to or from a root.
#pragma once

#include <algorithm>

#include "tradewind/comm/bcast/knomial.hpp"
#include "tradewind/comm/message_totals.hpp"
#include "tradewind/comm/rank_blocks.hpp"
#include "tradewind/comm/root.hpp"

namespace tradewind {

/// One rank's place in the tree, in which ranks are counted from the root. A message between a rank
/// and its parent holds the blocks of the rank's whole subtree, which follow each other; behind the
/// block of rank p-1 comes that of rank 0.
class BlockTree {
public:
    /// A child and the blocks of its subtree: their place in the list of this rank's own subtree,
    /// which begins with its own block; at the root their place among all blocks.
    struct Child {
        Rank rank = nobody;
        Bytes offset = 0;
        Bytes size = 0;
    };

    BlockTree(const Comm& comm, const RankBlocks& blocks, Rank root) noexcept
        : root_(root),
          ranks_(comm.size()),
          rank_(relative(comm.rank(), root, ranks_)),
          tree_(rank_, ranks_, 2),
          blocks_(blocks),
          list_(blocks, root, ranks_) {}

    [[nodiscard]] bool is_root() const noexcept { return rank_ == 0; }
    [[nodiscard]] bool is_leaf() const noexcept { return tree_.most_children() == 0; }
    [[nodiscard]] Rank parent() const noexcept { return absolute(tree_.parent(), root_, ranks_); }
    /// Returns the bytes of the blocks of the whole subtree.
    [[nodiscard]] Bytes size() const noexcept {
        return list_.size(rank_, std::min(tree_.top(), ranks_ - rank_));
    }
    /// Calls visit(child) for each child with blocks that are not empty, from the largest subtree
    /// to the smallest. At the root it leaves out the child that `cut` returns.
    template <class Visit>
    void for_each_child(Visit visit) const {
        tree_.for_each_child([&](Rank child) {
            const Rank count = subtree(child);
            const Bytes size = list_.size(child, count);
            if (size == 0 || is_cut(child, count)) return;
            const Rank rank = absolute(child, root_, ranks_);
            visit(Child{rank, is_root() ? blocks_.offset(rank) : list_.offset(child) - begin(),
                        size});
        });
    }
    /// Returns the child of the root whose blocks reach beyond that of rank p-1 to that of rank 0,
    /// so that they lie at both ends of all blocks; its rank is `nobody` if there is none.
    [[nodiscard]] Child cut() const noexcept {
        Child found;
        tree_.for_each_child([&](Rank child) {
            const Rank count = subtree(child);
            if (!is_cut(child, count)) return;
            const Rank rank = absolute(child, root_, ranks_);
            found = {rank, blocks_.offset(rank), list_.size(child, count)};
        });
        return found;
    }

private:
    [[nodiscard]] Bytes begin() const noexcept { return list_.offset(rank_); }
    [[nodiscard]] Rank subtree(Rank child) const noexcept {
        return std::min(child & -child, ranks_ - child);
    }
    [[nodiscard]] bool is_cut(Rank child, Rank count) const noexcept {
        const Rank first = child + root_;
        return is_root() && first < ranks_ && first + count > ranks_;
    }

    Rank root_;
    Rank ranks_;
    Rank rank_;
    Knomial tree_;
    RankBlocks blocks_;
    RotatedBlocks list_;
};

/// Returns the totals of the messages between each rank and its parent in the tree; those without
/// bytes are not sent.
[[nodiscard]] inline MessageTotals block_tree_totals(Rank ranks, std::int64_t /*radix*/,
                                                     const RankBlocks& blocks, Rank root) {
    const RotatedBlocks list(blocks, root, ranks);
    MessageTotals sum;
    for (Rank child = 1; child < ranks; ++child) {
        const Bytes size = list.size(child, std::min(child & -child, ranks - child));
        if (size > 0) sum.add(size);
    }
    return sum;
}

/// Returns the totals of a message for each block that is not empty between its rank and the root.
[[nodiscard]] inline MessageTotals single_block_totals(Rank ranks, std::int64_t /*radix*/,
                                                       const RankBlocks& blocks, Rank root) {
    MessageTotals sum;
    for (Rank rank = 0; rank < ranks; ++rank) {
        if (rank != root && blocks.size(rank) > 0) sum.add(blocks.size(rank));
    }
    return sum;
}

}  // namespace tradewind

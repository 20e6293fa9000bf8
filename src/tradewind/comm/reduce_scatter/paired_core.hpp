/// PairedCore: the largest power of two of ranks, of which some work for another rank, too.
#pragma once

#include <bit>

#include "tradewind/comm/message_totals.hpp"
#include "tradewind/comm/rank_blocks.hpp"
#include "tradewind/comm/types.hpp"

namespace tradewind {

/// The positions of the core: each has one rank and its block, or one of the first, `pairs` in
/// number, an even rank and the odd one behind it, which works for both.
class PairedCore {
public:
    explicit PairedCore(Rank ranks) noexcept
        : size_(Rank(std::bit_floor(std::uint64_t(ranks)))), pairs_(ranks - size_) {}
    [[nodiscard]] Rank size() const noexcept { return size_; }
    [[nodiscard]] Rank pairs() const noexcept { return pairs_; }
    [[nodiscard]] bool is_in_pair(Rank rank) const noexcept { return rank < 2 * pairs_; }
    /// Reports whether another rank works for this one.
    [[nodiscard]] bool is_folded(Rank rank) const noexcept {
        return is_in_pair(rank) && rank % 2 == 0;
    }
    [[nodiscard]] Rank position(Rank rank) const noexcept {
        return is_in_pair(rank) ? rank / 2 : rank - pairs_;
    }
    /// Returns the first rank of a position; that of position size() is the number of ranks.
    [[nodiscard]] Rank first(Rank position) const noexcept {
        return position < pairs_ ? 2 * position : position + pairs_;
    }
    /// Returns the rank that works at a position.
    [[nodiscard]] Rank worker(Rank position) const noexcept { return first(position + 1) - 1; }

private:
    Rank size_;
    Rank pairs_;
};

/// Returns the totals of the folds and of the halvings, in which the blocks of each `width`
/// positions arrive at that many ranks.
[[nodiscard]] inline MessageTotals halving_totals(Rank ranks, std::int64_t /*radix*/,
                                                  const RankBlocks& blocks) {
    const PairedCore core(ranks);
    const Bytes all = blocks.offset(ranks);
    MessageTotals sum;
    if (all == 0) return sum;
    for (Rank pair = 0; pair < core.pairs(); ++pair) {
        sum.add(all);
        if (blocks.size(2 * pair) > 0) sum.add(blocks.size(2 * pair));
    }
    for (Rank width = core.size() / 2; width > 0; width /= 2) {
        for (Rank position = 0; position < core.size(); position += width) {
            const Bytes size =
                blocks.offset(core.first(position + width)) - blocks.offset(core.first(position));
            if (size > 0) sum = sum + MessageTotals{width, width * size};
        }
    }
    return sum;
}

}  // namespace tradewind

/// Parts shared by the reduce_scatter algorithms: the check of the arguments and the totals of a
/// ring and of halving.
#pragma once

#include "tradewind/comm/allreduce/pieces.hpp"
#include "tradewind/comm/paired_core.hpp"
#include "tradewind/comm/reduce_scatter/reduce_scatter.hpp"

namespace tradewind {

/// Throws ConfigError unless the vector consists of one block per rank, and this rank's block and
/// all of them together of whole elements.
inline void require_blocks(const Comm& comm, const ReduceScatter& vector,
                           std::string_view algorithm) {
    vector.blocks.require_ranks(comm, algorithm);
    vector.blocks.require_all(comm, vector.data.size(), algorithm);
    require_whole_elements({vector.data, vector.reduction}, algorithm);
    require_whole_elements({vector.blocks.part(vector.data, comm.rank()), vector.reduction},
                           algorithm);
}

/// Returns the totals of p - 1 stages in which each block makes a hop, unless it is empty.
[[nodiscard]] inline MessageTotals single_hop_totals(Rank ranks, std::int64_t /*radix*/,
                                                     const RankBlocks& blocks) {
    MessageTotals sum;
    for (Rank r = 0; r < ranks; ++r) {
        if (blocks.size(r) > 0) sum.messages += ranks - 1;
    }
    sum.bytes = (ranks - 1) * blocks.offset(ranks);
    return sum;
}

/// Returns the totals of the folds and of the halvings, in which the blocks of each `width`
/// positions arrive at that many ranks.
[[nodiscard]] inline MessageTotals block_halving_totals(Rank ranks, std::int64_t /*radix*/,
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

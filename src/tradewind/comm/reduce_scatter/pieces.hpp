/// Parts shared by the reduce_scatter algorithms: the check of the arguments and the totals of a
/// ring.
#pragma once

#include "tradewind/comm/allreduce/pieces.hpp"
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

}  // namespace tradewind

/// Parts shared by the allgather algorithms: the sizes of the blocks and the check of the buffers.
#pragma once

#include "tradewind/comm/allgather/allgather.hpp"
#include "tradewind/comm/catalogue.hpp"
#include "tradewind/comm/local_work.hpp"

namespace tradewind {

/// Returns the blocks of all ranks. Throws ConfigError unless the buffers have room for exactly
/// these.
[[nodiscard]] inline RankBlocks checked_blocks(const Comm& comm, const Allgather& data,
                                               std::string_view algorithm) {
    const RankBlocks blocks = data.blocks.value_or(RankBlocks(data.mine.size()));
    blocks.require_ranks(comm, algorithm);
    blocks.require_own(comm, data.mine.size(), algorithm);
    blocks.require_all(comm, data.all.size(), algorithm);
    return blocks;
}

}  // namespace tradewind

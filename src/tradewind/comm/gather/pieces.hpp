/// The check of the arguments, common to the gather algorithms.
#pragma once

#include "tradewind/comm/catalogue.hpp"
#include "tradewind/comm/gather/gather.hpp"
#include "tradewind/comm/local_work.hpp"
#include "tradewind/comm/root.hpp"

namespace tradewind {

/// Throws ConfigError unless the root is a rank and the buffers have room for exactly the blocks.
inline void require_blocks(const Comm& comm, const Gather& data, std::string_view algorithm) {
    require_root(comm, data.root, algorithm);
    data.blocks.require_ranks(comm, algorithm);
    data.blocks.require_own(comm, data.mine.size(), algorithm);
    if (comm.rank() == data.root) data.blocks.require_all(comm, data.all.size(), algorithm);
}

}  // namespace tradewind

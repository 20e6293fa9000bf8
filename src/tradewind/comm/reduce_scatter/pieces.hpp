/// The check of the arguments, common to the reduce_scatter algorithms.
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

}  // namespace tradewind

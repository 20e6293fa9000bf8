/// The common course of algorithms with one exchange per stage: they differ in the partners only.
#pragma once

#include "tradewind/comm/alltoallv/pieces.hpp"
#include "tradewind/comm/protocol/exchange.hpp"

namespace tradewind {

/// The exchange of stage 1, 2, ... of the calling rank.
using StagePair = MessagePair (*)(const Comm& comm, const Alltoallv& data, Rank stage);

/// Copies the own block and goes through the stages, by the protocol of `options`. Under the
/// protocols that overlap, the exchanges of all stages are open together.
Task alltoallv_staged(Comm& comm, Alltoallv data, Options options, Rank stages, StagePair pair);

/// Sends to rank + distance, receives from rank - distance.
[[nodiscard]] inline MessagePair shift_blocks(const Comm& comm, const Alltoallv& data,
                                              Rank distance) {
    const Rank to = after(comm.rank(), distance, comm.size());
    const Rank from = before(comm.rank(), distance, comm.size());
    return {to, block_to(data, to), from, block_from(data, from),
            shifts_first(comm.rank(), distance)};
}

[[nodiscard]] inline MessagePair swap_blocks(const Comm& comm, const Alltoallv& data,
                                             Rank partner) {
    return {partner, block_to(data, partner), partner, block_from(data, partner),
            swaps_first(comm.rank(), partner)};
}

}  // namespace tradewind

/// The common part of algorithms with one exchange per stage, which differ only in the partners.
#pragma once

#include "tradewind/comm/alltoallv/pieces.hpp"
#include "tradewind/comm/protocol/exchange.hpp"

namespace tradewind {

/// A function that returns the exchange of the calling rank in stage 1, 2, ...
using StagePair = MessagePair (*)(const Comm& comm, const Alltoallv& data, Rank stage);

/// Runs all stages by another protocol or transport than the default. It is a separate coroutine,
/// so that the frame of the default stays small.
Task exchange_stages(Comm& comm, const Alltoallv& data, Delivery delivery, Rank stages,
                     StagePair pair);

/// Starts one stage; `co_await` the result. It is a function because its local data would otherwise
/// lie in the coroutine's frame, and inlined because a call would cost a tenth of a short exchange
/// on MPI.
template <StagePair pair>
[[nodiscard, gnu::always_inline]] inline Transfer start_stage(Comm& comm, const Alltoallv& data,
                                                              Rank stage) {
    return start(comm, pair(comm, data, stage), tags::alltoallv);
}

/// Runs `alltoallv_staged` as a coroutine: on ranks that may suspend, or by another protocol or
/// transport.
template <StagePair pair>
Task alltoallv_suspended(Comm& comm, Alltoallv data, Options options, Rank stages) {
    const Delivery delivery = options.delivery("alltoallv");
    copy_own_block(comm, data);
    if (!delivery.is_plain()) {
        co_await exchange_stages(comm, data, delivery, stages, pair);
        co_return;
    }
    for (Rank stage = 1; stage <= stages; ++stage) {
        co_await start_stage<pair>(comm, data, stage);
    }
}

/// Copies the rank's own block and runs the stages, by the protocol and transport of `options`.
/// Under the protocols that overlap, the exchanges of all stages are open together. It is a
/// template, so that finding the partners of a stage costs no call. On a communicator whose calls
/// block no coroutine is needed, whose frame alone costs 2 % of a short exchange within a node.
template <StagePair pair>
Task alltoallv_staged(Comm& comm, const Alltoallv& data, const Options& options, Rank stages) {
    if (!comm.strand().calls_block || !options.is_plain()) {
        return alltoallv_suspended<pair>(comm, data, options, stages);
    }
    copy_own_block(comm, data);
    for (Rank stage = 1; stage <= stages; ++stage) start_stage<pair>(comm, data, stage).finish();
    return {};
}

/// Returns the exchange that sends to rank + distance and receives from rank - distance.
[[nodiscard]] inline MessagePair shift_blocks(const Comm& comm, const Alltoallv& data,
                                              Rank distance) {
    const Rank to = after(comm.rank(), distance, comm.size());
    const Rank from = before(comm.rank(), distance, comm.size());
    return {to, block_to(data, to), from, block_from(data, from),
            shifts_first(comm.rank(), distance)};
}

/// Returns the exchange that swaps blocks with `partner`.
[[nodiscard]] inline MessagePair swap_blocks(const Comm& comm, const Alltoallv& data,
                                             Rank partner) {
    return {partner, block_to(data, partner), partner, block_from(data, partner),
            swaps_first(comm.rank(), partner)};
}

}  // namespace tradewind

/// The common course of algorithms with one exchange per stage: they differ in the partners only.
#pragma once

#include "tradewind/comm/alltoallv/pieces.hpp"
#include "tradewind/comm/protocol/exchange.hpp"

namespace tradewind {

/// The exchange of stage 1, 2, ... of the calling rank.
using StagePair = MessagePair (*)(const Comm& comm, const Alltoallv& data, Rank stage);

/// All stages by another protocol or transport than the default. A coroutine of its own, so that
/// the default keeps its small frame.
Task exchange_stages(Comm& comm, const Alltoallv& data, Delivery delivery, Rank stages,
                     StagePair pair);

/// Begins one stage; `co_await` the result. A function, because what it needs would otherwise lie
/// in the coroutine's frame; inlined, because it is a tenth of a short exchange on MPI.
template <StagePair pair>
[[nodiscard, gnu::always_inline]] inline Transfer start_stage(Comm& comm, const Alltoallv& data,
                                                              Rank stage) {
    return start(comm, pair(comm, data, stage), tags::alltoallv);
}

/// `alltoallv_staged` where calls may suspend, or by another protocol or transport.
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

/// Copies the own block and goes through the stages, by protocol and transport of `options`. Under
/// the protocols that overlap, the exchanges of all stages are open together. A template, so that
/// the partners of a stage cost no call. Where calls block it needs no coroutine: its frame alone
/// is 2 % of a short exchange within a node.
template <StagePair pair>
Task alltoallv_staged(Comm& comm, const Alltoallv& data, const Options& options, Rank stages) {
    if (!comm.strand().calls_block || !options.is_plain()) {
        return alltoallv_suspended<pair>(comm, data, options, stages);
    }
    copy_own_block(comm, data);
    for (Rank stage = 1; stage <= stages; ++stage) start_stage<pair>(comm, data, stage).finish();
    return {};
}

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

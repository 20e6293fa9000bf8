/// Stages of an alltoallv, one exchange each.
#include "tradewind/comm/alltoallv/staged.hpp"

namespace tradewind {

namespace {

Transfer start(Comm& comm, const Alltoallv& data, StagePair pair, Rank stage) {
    return start(comm, pair(comm, data, stage), tags::alltoallv);
}

/// A coroutine of its own, so that the default keeps its small frame.
Task exchange_stages(Comm& comm, const Alltoallv& data, Protocol protocol, Rank stages,
                     StagePair pair) {
    MessagePairs pairs;
    pairs.count = stages;
    pairs.tag = tags::alltoallv;
    pairs.pair = [&](std::int64_t i) { return pair(comm, data, i + 1); };
    co_await exchange(comm, pairs, protocol);
}

}  // namespace

Task alltoallv_staged(Comm& comm, Alltoallv data, Options options, Rank stages, StagePair pair) {
    copy_own_block(data, comm.rank());
    if (!options.protocol.is_default()) {
        co_await exchange_stages(comm, data, options.protocol, stages, pair);
        co_return;
    }
    for (Rank stage = 1; stage <= stages; ++stage) {
        co_await start(comm, data, pair, stage);
    }
}

}  // namespace tradewind

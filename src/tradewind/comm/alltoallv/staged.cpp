/// Stages of an alltoallv by a protocol that was chosen.
#include "tradewind/comm/alltoallv/staged.hpp"

namespace tradewind {

Task exchange_stages(Comm& comm, const Alltoallv& data, Protocol protocol, Rank stages,
                     StagePair pair) {
    MessagePairs pairs;
    pairs.count = stages;
    pairs.tag = tags::alltoallv;
    pairs.pair = [&](std::int64_t i) { return pair(comm, data, i + 1); };
    co_await exchange(comm, pairs, protocol);
}

}  // namespace tradewind

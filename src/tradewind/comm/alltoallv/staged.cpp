/// The stages of an alltoallv by a chosen protocol.
#include "tradewind/comm/alltoallv/staged.hpp"

namespace tradewind {

Task exchange_stages(Comm& comm, const Alltoallv& data, Delivery delivery, Rank stages,
                     StagePair pair) {
    MessagePairs pairs;
    pairs.count = stages;
    // The default runs one stage after the other.
    pairs.most_open = delivery.protocol.is_default() ? 1 : 0;
    pairs.tag = tags::alltoallv;
    pairs.pair = [&](std::int64_t i) { return pair(comm, data, i + 1); };
    co_await exchange(comm, pairs, delivery);
}

}  // namespace tradewind

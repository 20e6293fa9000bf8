/// The algorithms of the neighbourhood exchange that other files call.
#pragma once

#include "tradewind/comm/neighbor/neighbor.hpp"

namespace tradewind {

Task neighbor_burst(Comm& comm, NeighborExchange data, Options options);
/// Returns the totals of one message for every edge.
[[nodiscard]] constexpr MessageTotals message_totals(MessageTotals edges,
                                                     std::int64_t exchanges) noexcept {
    return {edges.messages * exchanges, edges.bytes * exchanges};
}

}  // namespace tradewind

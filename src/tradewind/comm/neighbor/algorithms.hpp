/// The algorithms of the neighbourhood exchange that other files call.
#pragma once

#include <vector>

#include "tradewind/comm/neighbor/neighbor.hpp"

namespace tradewind {

/// Starts a burst: copies the messages of the rank to itself, and posts all receives and all sends.
/// Returns what to wait for.
[[nodiscard]] std::vector<Request> start_burst(Comm& comm, const NeighborExchange& data);
Task neighbor_burst(Comm& comm, NeighborExchange data, Options options);
/// Returns the totals of one message for every edge.
[[nodiscard]] constexpr MessageTotals message_totals(MessageTotals edges,
                                                     std::int64_t exchanges) noexcept {
    return {edges.messages * exchanges, edges.bytes * exchanges};
}

}  // namespace tradewind

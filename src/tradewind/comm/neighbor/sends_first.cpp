/// Sends first: every rank starts all its sends, then receives from one source after the other.
///
///     sources a b, destinations c d      isend c, isend d, receive a, receive b, wait for the sends
///
/// One message for every edge. No receive is posted before its message may have arrived, and a rank
/// waits for a late source while messages of others lie in the library. This is the point-to-point
/// method of pang2025, section 3.2, which does not wait for its sends.
#include "tradewind/comm/neighbor/algorithms.hpp"
#include "tradewind/comm/neighbor/pieces.hpp"

namespace tradewind {

Task neighbor_sends_first(Comm& comm, NeighborExchange data, Options options) {
    require_default(options.protocol, "neighbor sends_first");
    require_two_sided(options.transport, "neighbor sends_first");
    check_neighbors(comm, data);
    copy_own_messages(comm, data);
    const Neighborhood& neighbors = *data.neighbors;
    std::vector<Request> sends;
    sends.reserve(neighbors.destinations.size());
    for (const Neighbor& to : neighbors.destinations) {
        if (!travels(to, comm.rank())) continue;
        sends.push_back(comm.isend(to.rank, message_to(data, to), tags::neighbor));
    }
    for (const Neighbor& from : neighbors.sources) {
        if (!travels(from, comm.rank())) continue;
        co_await comm.recv(from.rank, message_from(data, from), tags::neighbor);
    }
    co_await comm.wait_all(sends);
}

extern const NeighborAlgorithm neighbor_sends_first_entry;
constinit const NeighborAlgorithm neighbor_sends_first_entry = {
    .name = "sends_first",
    .summary = "all sends started, then one receive after the other",
    .run = neighbor_sends_first,
    .total = message_totals,
};

}  // namespace tradewind

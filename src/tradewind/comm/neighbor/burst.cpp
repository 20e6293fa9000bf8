/// Burst: every rank posts all its receives and all its sends at once, then waits for all.
///
///     sources a b, destinations c d      irecv a, irecv b, isend c, isend d, wait for the four
///
/// One message for every edge of the graph, and one request per edge of a rank. This is the
/// "linear" algorithm, the only one that Open MPI and MPICH have for MPI_Neighbor_alltoallv.
#include "tradewind/comm/neighbor/algorithms.hpp"
#include "tradewind/comm/neighbor/pieces.hpp"

namespace tradewind {

std::vector<Request> start_burst(Comm& comm, const NeighborExchange& data) {
    check_neighbors(comm, data);
    copy_own_messages(comm, data);
    const Neighborhood& neighbors = *data.neighbors;
    std::vector<Request> requests;
    requests.reserve(neighbors.sources.size() + neighbors.destinations.size());
    for (const Neighbor& from : neighbors.sources) {
        if (!travels(from, comm.rank())) continue;
        requests.push_back(comm.irecv(from.rank, message_from(data, from), tags::neighbor));
    }
    for (const Neighbor& to : neighbors.destinations) {
        if (!travels(to, comm.rank())) continue;
        requests.push_back(comm.isend(to.rank, message_to(data, to), tags::neighbor));
    }
    return requests;
}

Task neighbor_burst(Comm& comm, NeighborExchange data, Options options) {
    require_default(options.protocol, "neighbor burst");
    require_two_sided(options.transport, "neighbor burst");
    std::vector<Request> requests = start_burst(comm, data);
    co_await comm.wait_all(requests);
}

extern const NeighborAlgorithm neighbor_burst_entry;
constinit const NeighborAlgorithm neighbor_burst_entry = {
    .name = "burst",
    .summary = "everything posted at once",
    .run = neighbor_burst,
    .total = message_totals,
};

}  // namespace tradewind

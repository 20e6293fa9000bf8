/// Burst alltoallv: every rank posts all receives and all sends at once, then waits.
///
///     p = 4       rank 0      rank 1      rank 2      rank 3
///     sends to    1 2 3       2 3 0       3 0 1       0 1 2
///
/// One stage of p-1 messages and n bytes per rank (n: all bytes that a rank sends). Each rank
/// starts with its right neighbour, so that the first messages do not all go to rank 0. It needs
/// 2(p-1) requests per rank. Zheng and Marguinaud, Table 2 (zheng2018); "linear" in Open MPI.
#include <vector>

#include "tradewind/comm/alltoallv/algorithms.hpp"
#include "tradewind/comm/alltoallv/pieces.hpp"
#include "tradewind/comm/alltoallv/totals.hpp"

namespace tradewind {

std::vector<Request> start_burst(Comm& comm, const Alltoallv& data) {
    const Rank p = comm.size();
    copy_own_block(comm, data);
    std::vector<Request> requests;
    requests.reserve(static_cast<std::size_t>(2 * (p - 1)));
    const auto keep = [&requests](Request request) {
        if (!request.is_null()) requests.push_back(request);
    };
    for (Rank i = 1; i < p; ++i) keep(receive_block(comm, data, before(comm.rank(), i, p)));
    for (Rank i = 1; i < p; ++i) keep(send_block(comm, data, after(comm.rank(), i, p)));
    return requests;
}

namespace {

Task alltoallv_burst(Comm& comm, Alltoallv data, Options options) {
    require_default(options.protocol, "alltoallv burst");
    require_two_sided(options.transport, "alltoallv burst");
    std::vector<Request> requests = start_burst(comm, data);
    co_await comm.wait_all(requests);
}

}  // namespace

extern const AlltoallvAlgorithm alltoallv_burst_entry;
constinit const AlltoallvAlgorithm alltoallv_burst_entry = {
    .name = "burst",
    .summary = "everything posted at once",
    .run = alltoallv_burst,
    .total = direct_totals,
};

}  // namespace tradewind

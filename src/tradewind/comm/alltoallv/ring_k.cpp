/// Ring-k alltoallv: the ring algorithm with k partners per stage; `options.radix` is k, at
/// least 1.
///
///     p = 7, k = 3    rank 0 sends to    rank 0 receives from
///     stage 1         1 2 3              6 5 4
///     stage 2         4 5 6              3 2 1
///
/// ceil((p-1)/k) stages of up to k messages, n bytes per rank. k = 1 is the ring and k = p-1 the
/// burst; values in between bound the congestion while the links stay busy. A protocol that does
/// not overlap makes the k exchanges of a stage one after another. Zheng and Marguinaud, Table 2
/// and Fig. 4a (zheng2018).
#include <algorithm>
#include <vector>

#include "tradewind/comm/alltoallv/algorithms.hpp"
#include "tradewind/comm/alltoallv/staged.hpp"

namespace tradewind {

namespace {

/// Posts the receives and sends of distances first..last.
void start_stage(Comm& comm, const Alltoallv& data, Rank first, Rank last,
                 std::vector<Request>& requests) {
    const Rank p = comm.size();
    requests.clear();
    for (Rank i = first; i <= last; ++i)
        requests.push_back(receive_block(comm, data, before(comm.rank(), i, p)));
    for (Rank i = first; i <= last; ++i)
        requests.push_back(send_block(comm, data, after(comm.rank(), i, p)));
}

/// Runs the stages, with their k exchanges, by a protocol.
Task exchange_stages(Comm& comm, const Alltoallv& data, Rank k, Delivery delivery) {
    MessagePairs pairs;
    Rank first = 1;
    pairs.tag = tags::alltoallv;
    pairs.pair = [&](std::int64_t i) { return shift_blocks(comm, data, first + i); };
    for (; first < comm.size(); first += k) {
        pairs.count = std::min(k, comm.size() - first);
        co_await exchange(comm, pairs, delivery);
    }
}

}  // namespace

Task alltoallv_ring_k(Comm& comm, Alltoallv data, Options options) {
    require_at_least(1, options.radix, "alltoallv ring_k");
    const Rank k = std::min(options.radix, comm.size());
    const Delivery delivery = options.delivery("alltoallv ring_k");
    copy_own_block(comm, data);
    if (!delivery.is_plain()) {
        co_await exchange_stages(comm, data, k, delivery);
        co_return;
    }
    std::vector<Request> requests;
    requests.reserve(static_cast<std::size_t>(2 * k));
    for (Rank first = 1; first < comm.size(); first += k) {
        start_stage(comm, data, first, std::min(first + k, comm.size()) - 1, requests);
        co_await comm.wait_all(requests);
    }
}

}  // namespace tradewind

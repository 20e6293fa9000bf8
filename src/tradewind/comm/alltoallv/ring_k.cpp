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

#include "tradewind/comm/alltoallv/algorithms.hpp"
#include "tradewind/comm/alltoallv/staged.hpp"

namespace tradewind {

namespace {

/// Returns the number of distances from `first` on, at most k.
[[nodiscard]] Rank partners(Rank first, Rank k, Rank ranks) noexcept {
    return std::min(k, ranks - first);
}

}  // namespace

Task alltoallv_ring_k(Comm& comm, Alltoallv data, Options options) {
    require_at_least(1, options.radix, "alltoallv ring_k");
    GroupedExchange exchange(comm, options.delivery("alltoallv ring_k"), tags::alltoallv);
    copy_own_block(comm, data);
    Rank first = 1;
    const auto pair = [&](Rank i) { return shift_blocks(comm, data, first + i); };
    // The step is not the radix, which may be so large that the sum overflows.
    for (; first < comm.size(); first += partners(first, options.radix, comm.size())) {
        co_await exchange.all(partners(first, options.radix, comm.size()), pair);
    }
}

}  // namespace tradewind

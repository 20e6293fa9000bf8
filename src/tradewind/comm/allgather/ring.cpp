/// Ring allgather: in step s every rank passes block r-s to its right neighbour.
///
///     p = 3       rank 0    rank 1    rank 2
///     start       a         . b       . . c
///     step 0      a . c     a b       . b c
///     step 1      a b c     a b c     a b c
///
/// p-1 messages and (p-1) n bytes per rank; each link carries one block per step. thakur2005.
#include "tradewind/comm/allgather/algorithms.hpp"
#include "tradewind/comm/allgather/pieces.hpp"

namespace tradewind {

namespace {

Task allgather_ring(Comm& comm, Allgather data, Options /*options*/) {
    require_room(comm, data, "allgather ring");
    const Rank p = comm.size();
    const Rank left = comm.rank() == 0 ? p - 1 : comm.rank() - 1;
    const Rank right = comm.rank() == p - 1 ? 0 : comm.rank() + 1;
    copy(comm, data.mine, blocks(data, comm.rank()));
    Rank block = comm.rank();
    for (Rank step = 0; step < p - 1; ++step) {
        const Rank next = block == 0 ? p - 1 : block - 1;
        co_await comm.exchange(right, blocks(data, block), left, blocks(data, next),
                               tags::allgather);
        block = next;
    }
}

MessageTotals totals(Rank ranks, std::int64_t /*radix*/, Bytes bytes) {
    return {ranks * (ranks - 1), ranks * (ranks - 1) * bytes};
}

}  // namespace

extern const AllgatherAlgorithm allgather_ring_entry;
constinit const AllgatherAlgorithm allgather_ring_entry = {
    .name = "ring",
    .summary = "blocks travel round a ring, P - 1 stages",
    .run = allgather_ring,
    .total = totals,
};

}  // namespace tradewind

/// Ring allgather: in step s every rank passes block r-s to its right neighbour.
///
///     p = 3       rank 0    rank 1    rank 2
///     start       a         . b       . . c
///     step 0      a . c     a b       . b c
///     step 1      a b c     a b c     a b c
///
/// p-1 messages and (p-1) n bytes per rank; each link carries one block per step. Blocks may have
/// any sizes, and empty ones are sent, too. thakur2005.
#include "tradewind/comm/allgather/algorithms.hpp"
#include "tradewind/comm/allgather/pieces.hpp"

namespace tradewind {

Task allgather_ring(Comm& comm, Allgather data, Options /*options*/) {
    const RankBlocks blocks = checked_blocks(comm, data, "allgather ring");
    const Rank p = comm.size();
    const Rank left = comm.rank() == 0 ? p - 1 : comm.rank() - 1;
    const Rank right = comm.rank() == p - 1 ? 0 : comm.rank() + 1;
    copy(comm, data.mine, blocks.part(data.all, comm.rank()));
    Rank block = comm.rank();
    for (Rank step = 0; step < p - 1; ++step) {
        const Rank next = block == 0 ? p - 1 : block - 1;
        co_await comm.exchange(right, blocks.part(data.all, block), left,
                               blocks.part(data.all, next), tags::allgather);
        block = next;
    }
}

extern const AllgatherAlgorithm allgather_ring_entry;
constinit const AllgatherAlgorithm allgather_ring_entry = {
    .name = "ring",
    .summary = "blocks travel round a ring, P - 1 stages",
    .run = allgather_ring,
    .total = allgather_ring_totals,
};

}  // namespace tradewind

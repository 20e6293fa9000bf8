/// Pairwise reduce-scatter: in stage s every rank sends the block of rank r+s to it, and adds the
/// block that rank r-s sends to its own.
///
///     p = 3       rank 0          rank 1          rank 2         (a2: block 2 of rank 0's vector)
///     start       a0              b1              c2
///     stage 1     a0+c0           b1+a1           c2+b2
///     stage 2     a0+c0+b0        b1+a1+c1        c2+b2+a2
///
/// p-1 messages per rank, each block once to each other rank: n(p-1)/p bytes per rank if blocks are
/// equal, the fewest there can be; for long vectors. Empty blocks are not sent. thakur2005.
#include "tradewind/comm/protocol/exchange.hpp"
#include "tradewind/comm/reduce_scatter/pieces.hpp"

namespace tradewind {

namespace {

Task reduce_scatter_pairwise(Comm& comm, ReduceScatter vector, Options /*options*/) {
    require_blocks(comm, vector, "reduce_scatter pairwise");
    const Rank p = comm.size();
    const Rank r = comm.rank();
    const Buffer own = vector.blocks.part(vector.data, r);
    const ArrivedVector arrived(comm, vector.data, own.size());
    StagedExchange exchange(comm, {}, tags::reduce_scatter);
    for (Rank distance = 1; distance < p; ++distance) {
        const Rank to = r + distance < p ? r + distance : r + distance - p;
        const Rank from = r >= distance ? r - distance : r - distance + p;
        const ConstBuffer out = vector.blocks.part(vector.data, to);
        co_await exchange.sendrecv(to, out, from, arrived.buffer());
        combine(comm, vector.reduction, arrived.buffer(), own);
    }
}

}  // namespace

extern const ReduceScatterAlgorithm reduce_scatter_pairwise_entry;
constinit const ReduceScatterAlgorithm reduce_scatter_pairwise_entry = {
    .name = "pairwise",
    .summary = "each block straight to its rank, P - 1 stages",
    .run = reduce_scatter_pairwise,
    .total = single_hop_totals,
};

}  // namespace tradewind

/// Ring reduce-scatter: the partial sum of each block travels once round the ring, from the right
/// neighbour of its rank to the rank itself.
///
///     p = 3       rank 0          rank 1          rank 2         (a2: block 2 of rank 0's vector)
///     start       a2              b0              c1             the block that each sends
///     stage 1     a1+c1           b2+a2           c0+b0
///     stage 2     a0+c0+b0        b1+a1+c1        c2+b2+a2
///
/// p-1 messages and n(p-1)/p bytes per rank if blocks are equal, all to the right neighbour; for
/// long vectors. Empty blocks are not sent. It is the first half of the ring allreduce
/// (patarasuk2009).
#include <algorithm>

#include "tradewind/comm/protocol/exchange.hpp"
#include "tradewind/comm/reduce_scatter/pieces.hpp"

namespace tradewind {

namespace {

[[nodiscard]] Bytes largest_block(const RankBlocks& blocks, Rank ranks) {
    Bytes largest = 0;
    for (Rank r = 0; r < ranks; ++r) largest = std::max(largest, blocks.size(r));
    return largest;
}

Task reduce_scatter_ring(Comm& comm, ReduceScatter vector, Options /*options*/) {
    require_blocks(comm, vector, "reduce_scatter ring");
    const Rank p = comm.size();
    const Rank r = comm.rank();
    const Rank right = r + 1 < p ? r + 1 : 0;
    const auto left_of = [p](Rank i) { return i == 0 ? p - 1 : i - 1; };
    const ArrivedVector arrived(comm, vector.data, largest_block(vector.blocks, p));
    StagedExchange exchange(comm, {}, tags::reduce_scatter);
    Rank sent = left_of(r);
    for (Rank stage = 1; stage < p; ++stage) {
        const Rank next = left_of(sent);
        const Buffer sum = vector.blocks.part(vector.data, next);
        const Buffer in = arrived.first(sum.size());
        const ConstBuffer out = vector.blocks.part(vector.data, sent);
        co_await exchange.sendrecv(right, out, left_of(r), in);
        combine(comm, vector.reduction, in, sum);
        sent = next;
    }
}

}  // namespace

extern const ReduceScatterAlgorithm reduce_scatter_ring_entry;
constinit const ReduceScatterAlgorithm reduce_scatter_ring_entry = {
    .name = "ring",
    .summary = "partial sums of blocks travel round a ring, P - 1 stages",
    .run = reduce_scatter_ring,
    .total = single_hop_totals,
};

}  // namespace tradewind

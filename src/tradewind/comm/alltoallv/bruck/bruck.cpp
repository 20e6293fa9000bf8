/// Bruck alltoallv: blocks with the same next hop travel together, one hop for each nonzero binary
/// digit of their distance.
///
///     p = 4       rank 0 sends to           blocks that move (by distance)
///     phase 1     1                         1 3
///     phase 2     2                         2 3
///
/// ceil(log2 p) messages and about (n/2) log2 p bytes per rank, for small blocks and long
/// latencies. The implementation is bruck_k with radix 2. Bruck et al. (bruck1997), thakur2005;
/// "Bruck" of zheng2018, Table 2.
#include "tradewind/comm/alltoallv/algorithms.hpp"
#include "tradewind/comm/alltoallv/totals.hpp"

namespace tradewind {

namespace {

Task alltoallv_bruck(Comm& comm, Alltoallv data, Options options) {
    options.radix = 2;
    return alltoallv_bruck_k(comm, data, options);
}

MessageTotals totals(Rank ranks, std::int64_t /*radix*/, const BlockSizes& blocks) {
    return bruck_totals(ranks, 2, blocks);
}

}  // namespace

extern const AlltoallvAlgorithm alltoallv_bruck_entry;
constinit const AlltoallvAlgorithm alltoallv_bruck_entry = {
    .name = "bruck",
    .summary = "combined blocks over ceil(log2 P) hops",
    .run = alltoallv_bruck,
    .total = totals,
    .has_protocols = true,
    .combines_blocks = true,
};

}  // namespace tradewind

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

namespace tradewind {

Task alltoallv_bruck(Comm& comm, Alltoallv data, Options options) {
    options.radix = 2;
    return alltoallv_bruck_k(comm, data, options);
}

}  // namespace tradewind

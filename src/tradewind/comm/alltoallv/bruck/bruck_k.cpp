/// Bruck alltoallv of radix k: one hop for each nonzero digit, in base k, of the distance that a
/// block has to travel.
///
///     p = 9, k = 3    rank 0 sends to       blocks that move (by distance)
///     phase 1         1 | 2                 1 4 7 | 2 5 8
///     phase 2         3 | 6                 3 4 5 | 6 7 8
///
/// Each rank sends at most (k-1) ceil(log_k p) messages (none to a distance of p or more) and about
/// n (k-1)/k log_k p bytes: a larger k means more messages and fewer bytes. The messages of one
/// phase are in flight together. `options.radix` is k, at least 2. Bruck et al. (bruck1997); radix
/// as a tuning parameter in fan2025.
///
/// If `Blocks::between` knows the sizes of blocks, every message has exactly the bytes of its
/// blocks, and empty messages are not sent. Otherwise each message is preceded by one with the
/// sizes of its blocks (8 bytes each), which doubles the number of messages and needs real buffers.
#include "tradewind/comm/alltoallv/algorithms.hpp"
#include "tradewind/comm/alltoallv/bruck/forwarding.hpp"
#include "tradewind/comm/alltoallv/totals.hpp"

namespace tradewind {

Task alltoallv_bruck_k(Comm& comm, Alltoallv data, Options options) {
    return forward_blocks(comm, data, BruckHops(comm.size()), options);
}

extern const AlltoallvAlgorithm alltoallv_bruck_k_entry;
constinit const AlltoallvAlgorithm alltoallv_bruck_k_entry = {
    .name = "bruck_k",
    .summary = "combined blocks, one hop per digit of base `radix`",
    .run = alltoallv_bruck_k,
    .total = bruck_totals,
    .smallest_radix = 2,
    .default_radix = 4,
    .has_protocols = true,
    .combines_blocks = true,
};

}  // namespace tradewind

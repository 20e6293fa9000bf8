/// Logarithmic transposition: the ranks of a hypercube swap half of the blocks that they hold
/// across one dimension after the other.
///
///     p = 4       rank 0    rank 1    rank 2    rank 3     swap the blocks for
///     stage 1     <-> 1     <-> 0     <-> 3     <-> 2      ranks with the other lowest bit
///     stage 2     <-> 2     <-> 3     <-> 0     <-> 1      ranks with the other next bit
///
/// log2 p swaps and (n/2) log2 p bytes per rank. If p is not a power of two there is no such
/// hypercube: the blocks then hop round the ring as in bruck, ceil(log2 p) messages to one rank and
/// from another. "logtrans" of PSTSWM (worley1998, section 6).
#include <bit>

#include "tradewind/comm/alltoallv/algorithms.hpp"
#include "tradewind/comm/alltoallv/bruck/forwarding.hpp"

namespace tradewind {

Task alltoallv_logtrans(Comm& comm, Alltoallv data, Options options) {
    const bool is_cube = std::has_single_bit(static_cast<std::uint64_t>(comm.size()));
    const auto shape = is_cube ? BruckHops::Shape::cube : BruckHops::Shape::ring;
    options.radix = 2;
    return forward_blocks(comm, data, BruckHops(comm.size(), shape), options);
}

}  // namespace tradewind

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
#include "tradewind/comm/alltoallv/totals.hpp"

namespace tradewind {

namespace {

Task alltoallv_logtrans(Comm& comm, Alltoallv data, Options options) {
    const bool is_cube = std::has_single_bit(static_cast<std::uint64_t>(comm.size()));
    const auto topology =
        is_cube ? BruckHops::VirtualTopology::cube : BruckHops::VirtualTopology::ring;
    options.radix = 2;
    return forward_blocks(comm, data, BruckHops(comm.size(), topology), options);
}

/// Returns the totals of swaps in a hypercube: in each stage a message from each rank, with all
/// blocks whose destination differs in a bit from their holder.
MessageTotals cube_totals(Rank ranks, const BlockSizes& blocks) {
    MessageTotals totals;
    for (Rank weight = 1; weight < ranks; weight *= 2) {
        for (Rank holder = 0; holder < ranks; ++holder) {
            MessageTotals held;
            for (Rank from = 0; from < ranks; ++from) {
                for (Rank to = 0; to < ranks; ++to) {
                    // The holder has the lower bits of the destination and the higher bits of the
                    // origin.
                    const Rank at = (to & (weight - 1)) | (from & -weight);
                    if (at == holder && ((from ^ to) & weight) != 0)
                        held.add(blocks.size(from, to));
                }
            }
            totals = totals + combined_message(held, blocks);
        }
    }
    return totals;
}

MessageTotals totals(Rank ranks, std::int64_t /*radix*/, const BlockSizes& blocks) {
    const bool is_cube = std::has_single_bit(static_cast<std::uint64_t>(ranks));
    return is_cube ? cube_totals(ranks, blocks) : bruck_totals(ranks, 2, blocks);
}

}  // namespace

extern const AlltoallvAlgorithm alltoallv_logtrans_entry;
constinit const AlltoallvAlgorithm alltoallv_logtrans_entry = {
    .name = "logtrans",
    .summary = "log2 P SWAPs of half the data; bruck if P is not a power of two (worley1998)",
    .run = alltoallv_logtrans,
    .total = totals,
    .has_protocols = true,
    .combines_blocks = true,
};

}  // namespace tradewind

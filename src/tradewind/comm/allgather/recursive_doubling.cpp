/// Recursive doubling allgather: partners at distance 1, 2, 4, ... exchange all blocks that they
/// have.
///
///     p = 4       rank 0     rank 1     rank 2     rank 3
///     start       a          . b        . . c      . . . d
///     stage 1     a b        a b        . . c d    . . c d
///     stage 2     a b c d    a b c d    a b c d    a b c d
///
/// log2 p messages and (p-1) n bytes per rank, in place; blocks may have any sizes. If p is not a
/// power of two, Bruck's algorithm is used, in ceil(log2 p) stages. thakur2005.
#include <bit>

#include "tradewind/comm/allgather/algorithms.hpp"
#include "tradewind/comm/allgather/pieces.hpp"

namespace tradewind {

namespace {

Task exchange_doubling(Comm& comm, Allgather data) {
    const RankBlocks blocks = checked_blocks(comm, data, "allgather recursive_doubling");
    const Rank r = comm.rank();
    copy(comm, data.mine, blocks.part(data.all, r));
    for (Rank have = 1; have < comm.size(); have *= 2) {
        const Rank partner = r ^ have;
        const Buffer out = blocks.part(data.all, r & -have, have);
        const Buffer in = blocks.part(data.all, partner & -have, have);
        co_await comm.exchange(partner, out, partner, in, tags::allgather);
    }
}

Task allgather_recursive_doubling(Comm& comm, Allgather data, Options options) {
    if (std::has_single_bit(static_cast<std::uint64_t>(comm.size())))
        return exchange_doubling(comm, data);
    return allgather_bruck(comm, data, options);
}

}  // namespace

extern const AllgatherAlgorithm allgather_recursive_doubling_entry;
constinit const AllgatherAlgorithm allgather_recursive_doubling_entry = {
    .name = "recursive_doubling",
    .summary = "log2 P stages in place; Bruck for other P",
    .run = allgather_recursive_doubling,
    .total = allgather_doubling_totals,
};

}  // namespace tradewind

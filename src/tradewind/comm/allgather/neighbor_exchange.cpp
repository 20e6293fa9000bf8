/// Neighbour exchange allgather: ranks exchange with the neighbours on both sides in turn, first
/// their own blocks, then the two blocks that came last.
///
///     p = 6       rank 0      rank 1      rank 2      rank 3      rank 4      rank 5
///     start       a           b           c           d           e           f
///     stage 1     ab          ab          cd          cd          ef          ef
///     stage 2     ab..ef      abcd..      abcd..      ..cdef      ..cdef      ab..ef
///     stage 3     abcdef      abcdef      abcdef      abcdef      abcdef      abcdef
///
/// p/2 messages and (p-1) n bytes per rank, all between neighbours: half the stages of the ring.
/// Blocks may have any sizes, and empty ones are sent, too. If p is odd, the ring is used.
/// chen2005.
#include "tradewind/comm/allgather/algorithms.hpp"
#include "tradewind/comm/allgather/pieces.hpp"

namespace tradewind {

namespace {

/// Returns a rank or block counted round the ring.
[[nodiscard]] constexpr Rank wrapped(Rank i, Rank ranks) noexcept {
    return (i + ranks) % ranks;
}

Task exchange_neighbors(Comm& comm, Allgather data) {
    const RankBlocks blocks = checked_blocks(comm, data, "allgather neighbor_exchange");
    const Rank p = comm.size();
    const Rank r = comm.rank();
    // An even rank begins with the neighbour behind it, an odd one with that before it.
    const Rank first_step = r % 2 == 0 ? 1 : -1;
    copy(comm, data.mine, blocks.part(data.all, r));
    const Rank first = wrapped(r + first_step, p);
    co_await comm.exchange(first, blocks.part(data.all, r), first, blocks.part(data.all, first),
                           tags::allgather);
    // Each pair of blocks that arrives lies two further, on the side of the neighbour that sent it.
    Rank sent = r - r % 2;
    Rank from_side[2] = {sent, sent};
    for (Rank stage = 1; stage < p / 2; ++stage) {
        const Rank side = stage % 2;
        const Rank step = side == 0 ? first_step : -first_step;
        const Rank neighbor = wrapped(r + step, p);
        Rank& arriving = from_side[side];
        arriving = wrapped(arriving + 2 * step, p);
        co_await comm.exchange(neighbor, blocks.part(data.all, sent, 2), neighbor,
                               blocks.part(data.all, arriving, 2), tags::allgather);
        sent = arriving;
    }
}

Task allgather_neighbor_exchange(Comm& comm, Allgather data, Options options) {
    if (comm.size() % 2 != 0) return allgather_ring(comm, data, options);
    return exchange_neighbors(comm, data);
}

MessageTotals totals(Rank ranks, std::int64_t radix, const RankBlocks& blocks) {
    MessageTotals sum = allgather_ring_totals(ranks, radix, blocks);
    if (ranks % 2 == 0) sum.messages = ranks * (ranks / 2);
    return sum;
}

}  // namespace

extern const AllgatherAlgorithm allgather_neighbor_exchange_entry;
constinit const AllgatherAlgorithm allgather_neighbor_exchange_entry = {
    .name = "neighbor_exchange",
    .summary = "two blocks to neighbours in turn, P/2 stages; the ring for odd P",
    .run = allgather_neighbor_exchange,
    .total = totals,
};

}  // namespace tradewind

/// Butterfly reduce-scatter: partners at distance 1, 2, 4, ... share their blocks out by halves,
/// and then each block goes to its rank.
///
///     p = 4           rank 0     rank 1     rank 2     rank 3
///     distance 1      01         23         01         23
///     distance 2      0          2          1          3
///     permutation     0          1          2          3
///
/// Near partners exchange the long halves, where recursive halving begins with the far ones. The
/// blocks end in the order of the reversed bits of the positions. floor(log2 p) + 1 messages and
/// about n(p-1)/p bytes and a block per rank. If p is not a power of two, ranks are paired as in
/// recursive halving. Messages without bytes are not sent. traeff2005.
#include <algorithm>

#include "tradewind/comm/paired_core.hpp"
#include "tradewind/comm/protocol/exchange.hpp"
#include "tradewind/comm/reduce_scatter/pieces.hpp"

namespace tradewind {

namespace {

/// Returns the blocks of `count` positions.
[[nodiscard]] Buffer blocks_of(const ReduceScatter& vector, const PairedCore& core, Rank position,
                               Rank count) noexcept {
    const Rank first = core.first(position);
    return vector.blocks.part(vector.data, first, core.first(position + count) - first);
}

/// Shares out the blocks, of which the rank keeps those of the position with its bits reversed.
/// `arrived` has room for the largest half.
Task share_out(Comm& comm, ReduceScatter vector, PairedCore core, Buffer arrived) {
    const Rank position = core.position(comm.rank());
    StagedExchange exchange(comm, {}, tags::reduce_scatter);
    Rank begin = 0;
    Rank width = core.size() / 2;
    for (Rank distance = 1; distance < core.size(); distance *= 2) {
        const bool keeps_upper = (position & distance) != 0;
        const Buffer lower = blocks_of(vector, core, begin, width);
        const Buffer upper = blocks_of(vector, core, begin + width, width);
        const Buffer mine = keeps_upper ? upper : lower;
        const Buffer others = keeps_upper ? lower : upper;
        const Buffer in = arrived.part(0, mine.size());
        const Rank partner = core.worker(position ^ distance);
        co_await exchange.swap(partner, others, in);
        combine(comm, vector.reduction, in, mine);
        if (keeps_upper) begin += width;
        width /= 2;
    }
}

Task reduce_scatter_butterfly(Comm& comm, ReduceScatter vector, Options /*options*/) {
    require_blocks(comm, vector, "reduce_scatter butterfly");
    const PairedCore core(comm.size());
    const Rank rank = comm.rank();
    const Rank position = core.position(rank);
    const Rank mirror = mirrored(position, core.size());
    const Buffer own = vector.blocks.part(vector.data, rank);
    StagedExchange exchange(comm, {}, tags::reduce_scatter);
    if (core.is_folded(rank)) {
        co_await exchange.send(rank + 1, vector.data);
        co_await exchange.recv(core.worker(mirror), own);
        co_return;
    }
    const bool represents = core.is_in_pair(rank);
    const Bytes half = std::max(blocks_of(vector, core, 0, core.size() / 2).size(),
                                blocks_of(vector, core, core.size() / 2, core.size() / 2).size());
    const ArrivedVector arrived(comm, vector.data, represents ? vector.data.size() : half);
    if (represents) {
        co_await exchange.recv(rank - 1, arrived.buffer());
        combine(comm, vector.reduction, arrived.buffer(), vector.data);
    }
    co_await share_out(comm, vector, core, arrived.buffer());
    const Rank target = core.worker(mirror);
    if (core.is_in_pair(target))
        co_await exchange.send(target - 1, vector.blocks.part(vector.data, target - 1));
    if (mirror != position)
        co_await exchange.swap(target, vector.blocks.part(vector.data, target), own);
}

/// Returns the totals of the halving and of the permutation.
MessageTotals totals(Rank ranks, std::int64_t radix, const RankBlocks& blocks) {
    MessageTotals sum = block_halving_totals(ranks, radix, blocks);
    const PairedCore core(ranks);
    for (Rank position = 0; position < core.size(); ++position) {
        const Bytes size = blocks.size(core.worker(position));
        if (size > 0 && mirrored(position, core.size()) != position) sum.add(size);
    }
    return sum;
}

}  // namespace

extern const ReduceScatterAlgorithm reduce_scatter_butterfly_entry;
constinit const ReduceScatterAlgorithm reduce_scatter_butterfly_entry = {
    .name = "butterfly",
    .summary = "halves to near partners first, then blocks to their ranks",
    .run = reduce_scatter_butterfly,
    .total = totals,
};

}  // namespace tradewind

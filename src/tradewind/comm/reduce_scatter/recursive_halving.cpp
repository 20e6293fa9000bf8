/// Recursive halving reduce-scatter: a rank and its partner share their blocks out by halves until
/// each has one.
///
///     p = 6           rank 0     rank 1     rank 2     rank 3     rank 4     rank 5
///     fold            -          0..5       -          0..5       0..5       0..5
///     halving 2       -          0123       -          0123       45         45
///     halving 1       -          01         -          23         4          5
///     return          0          1          2          3          4          5
///
/// A core of c = 2^floor(log2 p) ranks halves. If p is not a power of two, the first p - c even
/// ranks fold their vectors into the ranks behind them, which then have the blocks of both, and get
/// their blocks back. floor(log2 p) messages and about n(p-1)/p bytes per rank of the core; a
/// message of n bytes and one of a block more for each fold. Messages without bytes are not sent.
/// thakur2005.
#include "tradewind/comm/paired_core.hpp"
#include "tradewind/comm/protocol/exchange.hpp"
#include "tradewind/comm/reduce_scatter/pieces.hpp"

namespace tradewind {

namespace {

/// Returns the blocks of the `width` positions that contain `position` when they are halved.
[[nodiscard]] Buffer half(const ReduceScatter& vector, const PairedCore& core, Rank position,
                          Rank width) noexcept {
    const Rank begin = core.first(position & -width);
    const Rank end = core.first((position & -width) + width);
    return vector.blocks.part(vector.data, begin, end - begin);
}

/// Halves the blocks that the ranks of the core share. `arrived` has room for the largest half.
Task halve(Comm& comm, ReduceScatter vector, PairedCore core, Buffer arrived) {
    const Rank position = core.position(comm.rank());
    StagedExchange exchange(comm, {}, tags::reduce_scatter);
    for (Rank width = core.size() / 2; width > 0; width /= 2) {
        const Rank partner = position ^ width;
        const Buffer mine = half(vector, core, position, width);
        const Buffer in = arrived.part(0, mine.size());
        co_await exchange.swap(core.worker(partner), half(vector, core, partner, width), in);
        combine(comm, vector.reduction, in, mine);
    }
}

Task reduce_scatter_recursive_halving(Comm& comm, ReduceScatter vector, Options /*options*/) {
    require_blocks(comm, vector, "reduce_scatter recursive_halving");
    const PairedCore core(comm.size());
    const Rank rank = comm.rank();
    StagedExchange exchange(comm, {}, tags::reduce_scatter);
    if (core.is_folded(rank)) {
        co_await exchange.send(rank + 1, vector.data);
        co_await exchange.recv(rank + 1, vector.blocks.part(vector.data, rank));
        co_return;
    }
    const bool represents = core.is_in_pair(rank);
    const Buffer kept = half(vector, core, core.position(rank), core.size() / 2);
    const ArrivedVector arrived(comm, vector.data, represents ? vector.data.size() : kept.size());
    if (represents) {
        co_await exchange.recv(rank - 1, arrived.buffer());
        combine(comm, vector.reduction, arrived.buffer(), vector.data);
    }
    co_await halve(comm, vector, core, arrived.buffer());
    if (represents) co_await exchange.send(rank - 1, vector.blocks.part(vector.data, rank - 1));
}

}  // namespace

extern const ReduceScatterAlgorithm reduce_scatter_recursive_halving_entry;
constinit const ReduceScatterAlgorithm reduce_scatter_recursive_halving_entry = {
    .name = "recursive_halving",
    .summary = "partners share their blocks out by halves, floor(log2 P) stages",
    .run = reduce_scatter_recursive_halving,
    .total = block_halving_totals,
};

}  // namespace tradewind

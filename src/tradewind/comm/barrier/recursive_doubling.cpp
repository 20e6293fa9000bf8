/// Recursive doubling barrier: partners at distance 1, 2, 4, ... tell each other that all ranks
/// that they have heard of have entered.
///
///     p = 5       rank 0      rank 1      rank 2      rank 3      rank 4
///     fold        0 4         1           2           3           .
///     stage 1     0 1 4       0 1 4       2 3         2 3         .
///     stage 2     all         all         all         all         .
///     return      all         all         all         all         all
///
/// log2 p messages of 0 bytes per rank. If p is not a power of two, each rank beyond the largest
/// one reports to another rank before and is told by it afterwards. Open MPI (pjesivac2007).
#include "tradewind/comm/allreduce/power_of_two.hpp"
#include "tradewind/comm/barrier/barrier.hpp"
#include "tradewind/comm/catalogue.hpp"

namespace tradewind {

namespace {

Task barrier_recursive_doubling(Comm& comm, Options /*options*/) {
    const Rank r = comm.rank();
    const PowerOfTwo ends(r, comm.size());
    const Rank core = ends.core();
    if (ends.is_extra()) {
        co_await comm.send(r - core, ConstBuffer(), tags::barrier);
        co_await comm.recv(r - core, Buffer(), tags::barrier);
        co_return;
    }
    if (ends.represents()) co_await comm.recv(r + core, Buffer(), tags::barrier);
    for (Rank distance = 1; distance < core; distance *= 2) {
        const Rank partner = r ^ distance;
        co_await comm.exchange(partner, ConstBuffer(), partner, Buffer(), tags::barrier);
    }
    if (ends.represents()) co_await comm.send(r + core, ConstBuffer(), tags::barrier);
}

MessageTotals totals(Rank ranks, std::int64_t /*radix*/) {
    const PowerOfTwo ends(0, ranks);
    return {ends.core() * ends.levels() + 2 * (ranks - ends.core()), 0};
}

}  // namespace

extern const BarrierAlgorithm barrier_recursive_doubling_entry;
constinit const BarrierAlgorithm barrier_recursive_doubling_entry = {
    .name = "recursive_doubling",
    .summary = "pairs tell each other, log2 P stages",
    .run = barrier_recursive_doubling,
    .total = totals,
};

}  // namespace tradewind

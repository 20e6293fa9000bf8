/// Dissemination barrier: in round i every rank tells rank + 2^(i-1) that all ranks that it has
/// heard of have entered.
///
///     p = 5       rank 0 has heard of
///     start       0
///     round 1     0 4
///     round 2     0 4 3 2
///     round 3     0 4 3 2 1
///
/// ceil(log2 p) messages of 0 bytes per rank, for any p. Hensgen, Finkel and Manber (hensgen1988).
#include <bit>

#include "tradewind/comm/barrier/barrier.hpp"
#include "tradewind/comm/catalogue.hpp"

namespace tradewind {

namespace {

Task barrier_dissemination(Comm& comm, Options /*options*/) {
    const Rank p = comm.size();
    const Rank r = comm.rank();
    for (Rank distance = 1; distance < p; distance *= 2) {
        const Rank to = r + distance < p ? r + distance : r + distance - p;
        const Rank from = r >= distance ? r - distance : r - distance + p;
        co_await comm.exchange(to, ConstBuffer(), from, Buffer(), tags::barrier);
    }
}

MessageTotals totals(Rank ranks, std::int64_t /*radix*/) {
    return {ranks * std::int64_t(std::bit_width(std::uint64_t(ranks - 1))), 0};
}

}  // namespace

extern const BarrierAlgorithm barrier_dissemination_entry;
constinit const BarrierAlgorithm barrier_dissemination_entry = {
    .name = "dissemination",
    .summary = "ceil(log2 P) rounds, every rank sends in each",
    .run = barrier_dissemination,
    .total = totals,
};

}  // namespace tradewind

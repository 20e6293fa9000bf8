/// Linear scan: the sum travels along the chain of ranks, each of which adds its vector.
///
///     p = 4       rank 0    rank 1    rank 2    rank 3
///     start       a         b         c         d
///     stage 1     a         ab        c         d
///     stage 2     a         ab        abc       d
///     stage 3     a         ab        abc       abcd
///
/// p-1 stages of one message of n bytes each, the fewest messages that a scan can have. In the
/// exclusive scan a rank keeps what has arrived, after it has sent on the sum. An empty vector is
/// not sent. It is what MPI libraries use where they have nothing faster.
#include "tradewind/comm/allreduce/pieces.hpp"
#include "tradewind/comm/allreduce/totals.hpp"
#include "tradewind/comm/scan/scan.hpp"

namespace tradewind {

namespace {

Task scan_linear(Comm& comm, Scan vector, Options /*options*/) {
    require_whole_elements({vector.data, vector.reduction}, "scan linear");
    if (vector.data.size() == 0) co_return;
    const Rank rank = comm.rank();
    const bool is_last = rank == comm.size() - 1;
    if (rank > 0 && is_last && vector.exclusive) {
        co_await comm.recv(rank - 1, vector.data, tags::scan);
        co_return;
    }
    const ArrivedVector memory(comm, vector.data);
    const Buffer arrived = memory.buffer();
    if (rank > 0) {
        co_await comm.recv(rank - 1, arrived, tags::scan);
        combine(comm, vector.reduction, arrived, vector.data);
    }
    if (!is_last) co_await comm.send(rank + 1, vector.data, tags::scan);
    if (rank > 0 && vector.exclusive) copy(comm, arrived, vector.data);
}

MessageTotals totals(Rank ranks, std::int64_t /*radix*/, std::int64_t length) {
    const std::int64_t messages = length > 0 ? ranks - 1 : 0;
    return {messages, messages * length * word_bytes};
}

}  // namespace

extern const ScanAlgorithm scan_linear_entry;
constinit const ScanAlgorithm scan_linear_entry = {
    .name = "linear",
    .summary = "the sum travels from rank to rank, P - 1 stages",
    .run = scan_linear,
    .total = totals,
};

}  // namespace tradewind

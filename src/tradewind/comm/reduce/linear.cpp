/// Linear reduce: every rank sends its vector to the root, which adds one after the other.
///
///     p = 4       rank 0    1     2     3
///     start       a         b     c     d
///     from 1      ab        .     c     d
///     from 2      abc       .     .     d
///     from 3      abcd      .     .     .
///
/// p-1 messages of n bytes, all to the root, which has memory for one of them; an empty vector is
/// not sent. Ranks are counted from the root. It is the yardstick for the others, and what MPI
/// libraries use among few ranks.
#include "tradewind/comm/reduce/pieces.hpp"

namespace tradewind {

namespace {

Task reduce_linear(Comm& comm, Reduce vector, Options /*options*/) {
    require_reducible(comm, vector, "reduce linear");
    if (vector.data.size() == 0) co_return;
    if (comm.rank() != vector.root) {
        co_await comm.send(vector.root, vector.data, tags::reduce);
        co_return;
    }
    const ArrivedVector arrived(comm, vector.data);
    for (Rank i = 1; i < comm.size(); ++i) {
        const Rank from = absolute(i, vector.root, comm.size());
        co_await comm.recv(from, arrived.buffer(), tags::reduce);
        combine(comm, vector.reduction, arrived.buffer(), vector.data);
    }
}

}  // namespace

extern const ReduceAlgorithm reduce_linear_entry;
constinit const ReduceAlgorithm reduce_linear_entry = {
    .name = "linear",
    .summary = "every rank sends to the root, P - 1 stages",
    .run = reduce_linear,
    .total = reduce_tree_totals,
};

}  // namespace tradewind

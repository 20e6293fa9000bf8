/// Chain reduce: every rank adds what the next one sends to its own vector, and passes it on.
///
///     p = 4       rank 0    1     2     3
///     start       a         b     c     d
///     stage 1     a         b     cd    .
///     stage 2     a         bcd   .     .
///     stage 3     abcd      .     .     .
///
/// p-1 stages, p-1 messages of n bytes in total; an empty vector is not sent. Ranks are counted
/// from the root. Open MPI takes it among few ranks (pjesivac2007); it does not cut the vector into
/// segments.
#include "tradewind/comm/bcast/chain_tree.hpp"
#include "tradewind/comm/reduce/up.hpp"

namespace tradewind {

namespace {

Task reduce_chain(Comm& comm, Reduce vector, Options /*options*/) {
    require_reducible(comm, vector, "reduce chain");
    const Rank rank = relative(comm.rank(), vector.root, comm.size());
    return send_up(comm, vector, ChainTree(rank, comm.size()));
}

}  // namespace

extern const ReduceAlgorithm reduce_chain_entry;
constinit const ReduceAlgorithm reduce_chain_entry = {
    .name = "chain",
    .summary = "the sum travels from rank to rank, P - 1 stages",
    .run = reduce_chain,
    .total = reduce_tree_totals,
};

}  // namespace tradewind

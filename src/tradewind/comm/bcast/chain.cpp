/// Chain bcast: every rank passes the data on to the next one.
///
///     p = 4       rank 0    1    2    3
///     start       x
///     stage 1     x         x
///     stage 2     x         x    x
///     stage 3     x         x    x    x
///
/// p-1 stages, p-1 messages of n bytes in total, one for each rank but the last. Ranks are counted
/// from the root. Open MPI takes it among few ranks (pjesivac2007); it does not cut the data into
/// segments.
#include "tradewind/comm/bcast/chain_tree.hpp"

#include "tradewind/comm/bcast/algorithms.hpp"
#include "tradewind/comm/bcast/down.hpp"

namespace tradewind {

Task bcast_chain(Comm& comm, Bcast message, Options /*options*/) {
    require_root(comm, message.root, "bcast chain");
    const Rank rank = relative(comm.rank(), message.root, comm.size());
    return send_down(comm, message, ChainTree(rank, comm.size()));
}

extern const BcastAlgorithm bcast_chain_entry;
constinit const BcastAlgorithm bcast_chain_entry = {
    .name = "chain",
    .summary = "the data travel from rank to rank, P - 1 stages",
    .run = bcast_chain,
    .total = bcast_tree_totals,
};

}  // namespace tradewind

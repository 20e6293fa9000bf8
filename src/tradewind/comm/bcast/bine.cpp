/// Bine bcast: the data travel down a tree whose steps alternate in direction.
///
///     p = 8       rank 0    1    2    3    4    5    6    7
///     start       x
///     stage 1     x                   x                          distance 3
///     stage 2     x                   x    x              x      distance 1
///     stage 3     x         x    x    x    x    x    x    x      distance 1
///
/// ceil(log2 p) stages, p-1 messages of n bytes in total, over shorter distances than in a binomial
/// tree (4, 2, 1). Ranks are counted from the root. desensi2025.
#include "tradewind/comm/bcast/algorithms.hpp"
#include "tradewind/comm/bcast/bine_tree.hpp"
#include "tradewind/comm/bcast/down.hpp"

namespace tradewind {

namespace {

Task bcast_bine(Comm& comm, Bcast message, Options /*options*/) {
    require_root(comm, message.root, "bcast bine");
    const Rank rank = relative(comm.rank(), message.root, comm.size());
    return send_down(comm, message, BineTree(rank, comm.size()));
}

}  // namespace

extern const BcastAlgorithm bcast_bine_entry;
constinit const BcastAlgorithm bcast_bine_entry = {
    .name = "bine",
    .summary = "binary tree of near partners (desensi2025)",
    .run = bcast_bine,
    .total = bcast_tree_totals,
};

}  // namespace tradewind

/// Tree bcast: the data travel down a k-nomial tree; `options.radix` is k, at least 2.
///
///     p = 9, k = 3    rank 0   1   2   3   4   5   6   7   8
///     start           x
///     stage 1         x                x           x             0 to 3 and 6
///     stage 2         x    x   x       x   x   x   x   x   x     0 to 1 and 2, 3 to 4 and 5, ...
///
/// ceil(log_k p) stages of k-1 sends, p-1 messages of n bytes in total. Ranks are counted from the
/// root. thakur2005.
#include "tradewind/comm/bcast/algorithms.hpp"
#include "tradewind/comm/bcast/down.hpp"
#include "tradewind/comm/bcast/knomial.hpp"

namespace tradewind {

Task bcast_tree(Comm& comm, Bcast message, Options options) {
    require_at_least(2, options.radix, "bcast tree");
    require_root(comm, message.root, "bcast tree");
    const Rank rank = relative(comm.rank(), message.root, comm.size());
    return send_down(comm, message, Knomial(rank, comm.size(), options.radix));
}

extern const BcastAlgorithm bcast_tree_entry;
constinit const BcastAlgorithm bcast_tree_entry = {
    .name = "tree",
    .summary = "`radix`-nomial tree",
    .run = bcast_tree,
    .total = bcast_tree_totals,
    .smallest_radix = 2,
    .default_radix = 4,
};

}  // namespace tradewind

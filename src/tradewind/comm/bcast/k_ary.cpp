/// K-ary bcast: the data travel down a tree in which every rank has `options.radix` children, at
/// least 2.
///
///     p = 7, k = 2    rank 0   1   2   3   4   5   6
///     start           x
///     stage 1         x    x   x                         0 to 1 and 2
///     stage 2         x    x   x   x   x   x   x         1 to 3 and 5, 2 to 4 and 6
///
/// About log_k p stages of k sends, p-1 messages of n bytes in total. No rank sends more than k of
/// them, where the root of a k-nomial tree sends (k-1) log_k p. Ranks are counted from the root.
/// It is the binary tree of Open MPI (pjesivac2007).
#include "tradewind/comm/bcast/algorithms.hpp"
#include "tradewind/comm/bcast/down.hpp"
#include "tradewind/comm/bcast/k_ary_tree.hpp"

namespace tradewind {

namespace {

Task bcast_k_ary(Comm& comm, Bcast message, Options options) {
    require_at_least(2, options.radix, "bcast k_ary");
    require_root(comm, message.root, "bcast k_ary");
    const Rank rank = relative(comm.rank(), message.root, comm.size());
    return send_down(comm, message, KAry(rank, comm.size(), options.radix));
}

}  // namespace

extern const BcastAlgorithm bcast_k_ary_entry;
constinit const BcastAlgorithm bcast_k_ary_entry = {
    .name = "k_ary",
    .summary = "tree in which every rank has `radix` children",
    .run = bcast_k_ary,
    .total = bcast_tree_totals,
    .smallest_radix = 2,
    .default_radix = 2,
};

}  // namespace tradewind

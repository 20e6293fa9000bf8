/// K-ary reduce: partial results travel up a tree in which every rank has `options.radix` children,
/// at least 2.
///
///     p = 7, k = 2    1 adds 3 and 5, 2 adds 4 and 6; then 0 adds 1 and 2
///
/// About log_k p stages, p-1 messages of n bytes in total; a rank has memory for k of them, which
/// it adds in the order of the children. An empty vector is not sent. Ranks are counted from the
/// root. It is the binary tree of Open MPI (pjesivac2007).
#include "tradewind/comm/bcast/k_ary_tree.hpp"
#include "tradewind/comm/reduce/up.hpp"

namespace tradewind {

namespace {

Task reduce_k_ary(Comm& comm, Reduce vector, Options options) {
    require_at_least(2, options.radix, "reduce k_ary");
    require_reducible(comm, vector, "reduce k_ary");
    const Rank rank = relative(comm.rank(), vector.root, comm.size());
    return send_up(comm, vector, KAry(rank, comm.size(), options.radix));
}

}  // namespace

extern const ReduceAlgorithm reduce_k_ary_entry;
constinit const ReduceAlgorithm reduce_k_ary_entry = {
    .name = "k_ary",
    .summary = "tree in which every rank has `radix` children",
    .run = reduce_k_ary,
    .total = reduce_tree_totals,
    .smallest_radix = 2,
    .default_radix = 2,
};

}  // namespace tradewind

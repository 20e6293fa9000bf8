/// Binomial reduce: partial results travel up a binomial tree to the root.
///
///     p = 6       rank 0    1     2     3     4     5
///     start       a         b     c     d     e     f
///     stage 1     ab        .     cd    .     ef    .       from distance 1
///     stage 2     a..d      .     .     .     ef    .       from distance 2
///     stage 3     a..f      .     .     .     .     .       from distance 4
///
/// ceil(log2 p) stages, p-1 messages of n bytes in total; an empty vector is not sent. Ranks are
/// counted from the root, and each rank combines in their order. thakur2005.
#include "tradewind/comm/bcast/knomial.hpp"
#include "tradewind/comm/reduce/pieces.hpp"

namespace tradewind {

namespace {

Task reduce_binomial(Comm& comm, Reduce vector, Options /*options*/) {
    require_reducible(comm, vector, "reduce binomial");
    if (vector.data.size() == 0) co_return;
    const Rank p = comm.size();
    const Rank rank = relative(comm.rank(), vector.root, p);
    const Knomial tree(rank, p, 2);
    const Slots arrived(comm, vector.data, vector.data.size(), tree.most_children());
    for (Rank weight = 1; weight < tree.top() && tree.children(weight) > 0; weight *= 2) {
        const Rank child = absolute(tree.child(weight, 0), vector.root, p);
        co_await comm.recv(child, arrived[0], tags::reduce);
        combine(comm, vector.reduction, arrived[0], vector.data);
    }
    if (rank > 0) {
        const Rank parent = absolute(tree.parent(), vector.root, p);
        co_await comm.send(parent, vector.data, tags::reduce);
    }
}

}  // namespace

extern const ReduceAlgorithm reduce_binomial_entry;
constinit const ReduceAlgorithm reduce_binomial_entry = {
    .name = "binomial",
    .summary = "binomial tree, ceil(log2 P) stages",
    .run = reduce_binomial,
    .total = reduce_tree_totals,
};

}  // namespace tradewind

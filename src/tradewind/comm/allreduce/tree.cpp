/// Tree allreduce: reduction to rank 0 along a k-nomial tree, then broadcast down the same tree.
///
///     p = 9, k = 3    rank 0   1     2     3     4     5     6     7     8
///     up 1            abc      .     .     def   .     .     ghi   .     .   1, 2 to 0; ...
///     up 2            a..i     .     .     .     .     .     .     .     .   3, 6 to 0
///     down            0 to 3, 6, 1, 2; then 3 to 4, 5 and 6 to 7, 8
///
/// 2(p-1) messages of n bytes in total, 2 ceil(log_k p) stages; `options.radix` is k, at least 2
/// (2: binomial). Each rank combines in the order of the ranks below it, and the result is copied,
/// so all ranks get the same bits. thakur2005.
#include "tradewind/comm/allreduce/algorithms.hpp"
#include "tradewind/comm/allreduce/pieces.hpp"
#include "tradewind/comm/allreduce/totals.hpp"
#include "tradewind/comm/bcast/knomial.hpp"
#include "tradewind/comm/protocol/exchange.hpp"

namespace tradewind {

namespace {

Task allreduce_tree(Comm& comm, Allreduce vector, Options options) {
    require_at_least(2, options.radix, "allreduce tree");
    require_whole_elements(vector, "allreduce tree");
    GroupedExchange exchange(comm, options.delivery("allreduce tree"), tags::allreduce,
                             EmptyMessages::sent);
    const Knomial tree(comm.rank(), comm.size(), options.radix);
    const Slots slots(comm, vector.data, vector.data.size(), tree.most_children());
    Rank weight = 1;
    const auto from_child = [&](Rank i) {
        return MessagePair{nobody, ConstBuffer(), tree.child(weight, i), slots[i]};
    };
    for (; weight < tree.top(); weight *= options.radix) {
        co_await exchange.all(tree.children(weight), from_child);
        combine_group(comm, vector, slots, tree.children(weight) + 1, 0);
    }
    if (comm.rank() > 0) {
        co_await exchange.send(tree.parent(), vector.data);
        co_await exchange.recv(tree.parent(), vector.data);
    }
    const auto to_child = [&](Rank i) {
        return MessagePair{tree.any_child(i), vector.data, nobody, Buffer()};
    };
    co_await exchange.all(tree.all_children(), to_child);
}

}  // namespace

extern const AllreduceAlgorithm allreduce_tree_entry;
constinit const AllreduceAlgorithm allreduce_tree_entry = {
    .name = "tree",
    .summary = "reduction to rank 0 and broadcast along a `radix`-nomial tree",
    .run = allreduce_tree,
    .total = tree_totals,
    .smallest_radix = 2,
    .default_radix = 2,
    .has_protocols = true,
};

}  // namespace tradewind

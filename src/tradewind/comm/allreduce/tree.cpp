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
#include <vector>

#include "tradewind/comm/allreduce/algorithms.hpp"
#include "tradewind/comm/allreduce/pieces.hpp"
#include "tradewind/comm/bcast/knomial.hpp"
#include "tradewind/comm/protocol/exchange.hpp"

namespace tradewind {

namespace {

/// Starts the receives from the children at `weight`.
void start_children(Comm& comm, const Knomial& tree, const Slots& slots, Rank weight,
                    std::vector<Request>& requests) {
    requests.clear();
    for (Rank i = 0; i < tree.children(weight); ++i) {
        requests.push_back(comm.irecv(tree.child(weight, i), slots[i], tags::allreduce));
    }
}

void start_broadcast(Comm& comm, const Knomial& tree, Buffer data, std::vector<Request>& requests) {
    requests.clear();
    tree.for_each_child(
        [&](Rank child) { requests.push_back(comm.isend(child, data, tags::allreduce)); });
}

Task reduce_up(Comm& comm, const Allreduce& vector, const Knomial& tree, const Slots& slots,
               Rank radix, Delivery delivery) {
    MessagePairs pairs;
    pairs.tag = tags::allreduce;
    for (Rank weight = 1; weight < tree.top(); weight *= radix) {
        pairs.count = tree.children(weight);
        pairs.pair = [&, weight](std::int64_t i) {
            const Rank child = tree.child(weight, i);
            return MessagePair{child, ConstBuffer(), child, slots[i]};
        };
        co_await exchange(comm, pairs, delivery);
        combine_group(comm, vector, slots, tree.children(weight) + 1, 0);
    }
    if (comm.rank() == 0) co_return;
    const MessagePair up{tree.parent(), vector.data, tree.parent(), Buffer()};
    co_await exchange(comm, up, delivery, tags::allreduce);
}

Task broadcast_down(Comm& comm, const Allreduce& vector, const Knomial& tree, Delivery delivery) {
    std::vector<Rank> children;
    tree.for_each_child([&](Rank child) { children.push_back(child); });
    if (comm.rank() > 0) {
        const MessagePair down{tree.parent(), ConstBuffer(), tree.parent(), vector.data};
        co_await exchange(comm, down, delivery, tags::allreduce);
    }
    MessagePairs pairs;
    pairs.count = Rank(children.size());
    pairs.tag = tags::allreduce;
    pairs.pair = [&](std::int64_t i) {
        const Rank child = children[std::size_t(i)];
        return MessagePair{child, vector.data, child, Buffer()};
    };
    co_await exchange(comm, pairs, delivery);
}

/// Reduces and broadcasts by another protocol or transport than the default. It is a separate
/// coroutine, so that the frame of the default stays small.
Task reduce_and_broadcast(Comm& comm, const Allreduce& vector, const Knomial& tree,
                          const Slots& slots, Rank radix, Delivery delivery) {
    co_await reduce_up(comm, vector, tree, slots, radix, delivery);
    co_await broadcast_down(comm, vector, tree, delivery);
}

}  // namespace

Task allreduce_tree(Comm& comm, Allreduce vector, Options options) {
    require_at_least(2, options.radix, "allreduce tree");
    require_whole_elements(vector, "allreduce tree");
    const Delivery delivery = options.delivery("allreduce tree");
    const Knomial tree(comm.rank(), comm.size(), options.radix);
    const Slots slots(vector.data, vector.data.size(), tree.most_children());
    if (!delivery.is_plain()) {
        co_await reduce_and_broadcast(comm, vector, tree, slots, options.radix, delivery);
        co_return;
    }
    std::vector<Request> requests;
    for (Rank weight = 1; weight < tree.top(); weight *= options.radix) {
        start_children(comm, tree, slots, weight, requests);
        co_await comm.wait_all(requests);
        combine_group(comm, vector, slots, tree.children(weight) + 1, 0);
    }
    if (comm.rank() > 0) {
        co_await comm.send(tree.parent(), vector.data, tags::allreduce);
        co_await comm.recv(tree.parent(), vector.data, tags::allreduce);
    }
    start_broadcast(comm, tree, vector.data, requests);
    co_await comm.wait_all(requests);
}

}  // namespace tradewind

/// Tree barrier: ranks report to rank 0 along a k-nomial tree, and rank 0 releases them down the
/// same tree.
///
///     p = 9, k = 3    up: 1, 2 to 0; 4, 5 to 3; 7, 8 to 6; then 3, 6 to 0
///                     down: 0 to 3, 6, 1, 2; then 3 to 4, 5 and 6 to 7, 8
///
/// 2(p-1) messages of 0 bytes in total, 2 ceil(log_k p) stages; `options.radix` is k, at least 2.
#include <vector>

#include "tradewind/comm/barrier/barrier.hpp"
#include "tradewind/comm/bcast/knomial.hpp"
#include "tradewind/comm/catalogue.hpp"

namespace tradewind {

namespace {

enum class Direction : bool { up, down };

std::vector<Request> start(Comm& comm, const Knomial& tree, Direction direction) {
    std::vector<Request> requests;
    tree.for_each_child([&](Rank child) {
        const bool up = direction == Direction::up;
        requests.push_back(up ? comm.irecv(child, Buffer(), tags::barrier)
                              : comm.isend(child, ConstBuffer(), tags::barrier));
    });
    return requests;
}

Task barrier_tree(Comm& comm, Options options) {
    require_at_least(2, options.radix, "barrier tree");
    const Knomial tree(comm.rank(), comm.size(), options.radix);
    std::vector<Request> requests = start(comm, tree, Direction::up);
    co_await comm.wait_all(requests);
    if (comm.rank() > 0) {
        co_await comm.exchange(tree.parent(), ConstBuffer(), tree.parent(), Buffer(),
                               tags::barrier);
    }
    requests = start(comm, tree, Direction::down);
    co_await comm.wait_all(requests);
}

MessageTotals totals(Rank ranks, std::int64_t /*radix*/) {
    return {2 * (ranks - 1), 0};
}

}  // namespace

extern const BarrierAlgorithm barrier_tree_entry;
constinit const BarrierAlgorithm barrier_tree_entry = {
    .name = "tree",
    .summary = "up and down a `radix`-nomial tree",
    .run = barrier_tree,
    .total = totals,
    .smallest_radix = 2,
    .default_radix = 4,
};

}  // namespace tradewind

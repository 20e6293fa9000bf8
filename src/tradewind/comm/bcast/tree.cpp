/// Tree bcast: the data go down a k-nomial tree; `options.radix` is k, at least 2.
///
///     p = 9, k = 3    rank 0   1   2   3   4   5   6   7   8
///     start           x
///     stage 1         x                x           x             0 to 3 and 6
///     stage 2         x    x   x       x   x   x   x   x   x     0 to 1 and 2, 3 to 4 and 5, ...
///
/// ceil(log_k p) stages of k-1 sends, p-1 messages of n bytes in all. Ranks are counted from the
/// root. thakur2005.
#include <vector>

#include "tradewind/comm/bcast/algorithms.hpp"
#include "tradewind/comm/bcast/knomial.hpp"
#include "tradewind/comm/bcast/relative.hpp"

namespace tradewind {

namespace {

std::vector<Request> start_sends(Comm& comm, const Bcast& message, const Knomial& tree) {
    std::vector<Request> requests;
    tree.for_each_child([&](Rank child) {
        requests.push_back(
            comm.isend(absolute(child, message.root, comm.size()), message.data, tags::bcast));
    });
    return requests;
}

}  // namespace

Task bcast_tree(Comm& comm, Bcast message, Options options) {
    require_at_least(2, options.radix, "bcast tree");
    require_root(comm, message, "bcast tree");
    const Knomial tree(relative(comm.rank(), message.root, comm.size()), comm.size(),
                       options.radix);
    if (comm.rank() != message.root) {
        co_await comm.recv(absolute(tree.parent(), message.root, comm.size()), message.data,
                           tags::bcast);
    }
    std::vector<Request> requests = start_sends(comm, message, tree);
    co_await comm.wait_all(requests);
}

}  // namespace tradewind

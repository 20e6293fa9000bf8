/// A reduce up any tree whose ranks are counted from the root.
#pragma once

#include <vector>

#include "tradewind/comm/reduce/pieces.hpp"

namespace tradewind {

/// Receives the vectors of all children, adds them to the rank's own one after the other, and sends
/// the sum to the parent. An empty vector is not sent. `tree` has `parent()` and
/// `for_each_child(visit)`.
template <class Tree>
Task send_up(Comm& comm, Reduce vector, Tree tree) {
    if (vector.data.size() == 0) co_return;
    const Rank p = comm.size();
    Rank children = 0;
    tree.for_each_child([&](Rank /*child*/) { ++children; });
    const Slots arrived(comm, vector.data, vector.data.size(), children);
    std::vector<Request> requests;
    tree.for_each_child([&](Rank child) {
        requests.push_back(comm.irecv(absolute(child, vector.root, p),
                                      arrived[Rank(requests.size())], tags::reduce));
    });
    for (Rank i = 0; i < children; ++i) {
        co_await comm.wait(requests[std::size_t(i)]);
        combine(comm, vector.reduction, arrived[i], vector.data);
    }
    if (comm.rank() != vector.root) {
        const Rank parent = absolute(tree.parent(), vector.root, p);
        co_await comm.send(parent, vector.data, tags::reduce);
    }
}

}  // namespace tradewind

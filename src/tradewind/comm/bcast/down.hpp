/// A bcast down any tree whose ranks are counted from the root.
#pragma once

#include <vector>

#include "tradewind/comm/bcast/algorithms.hpp"
#include "tradewind/comm/catalogue.hpp"
#include "tradewind/comm/root.hpp"

namespace tradewind {

/// Receives from the parent, then sends to all children at once. `tree` has `parent()` and
/// `for_each_child(visit)`, from the largest subtrees to the smallest.
template <class Tree>
Task send_down(Comm& comm, Bcast message, Tree tree) {
    const Rank ranks = comm.size();
    if (comm.rank() != message.root) {
        co_await comm.recv(absolute(tree.parent(), message.root, ranks), message.data, tags::bcast);
    }
    std::vector<Request> requests;
    tree.for_each_child([&](Rank child) {
        requests.push_back(
            comm.isend(absolute(child, message.root, ranks), message.data, tags::bcast));
    });
    co_await comm.wait_all(requests);
}

}  // namespace tradewind

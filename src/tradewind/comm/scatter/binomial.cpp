/// Binomial scatter: blocks travel down a binomial tree; each rank gets those of its whole subtree
/// in one message.
///
///     p = 6       rank 0         1     2      3     4      5
///     start       a b c d e f    .     .      .     .      .
///     stage 1     a b c d        .     .      .     e f    .      to distance 4
///     stage 2     a b            .     c d    .     e f    .      to distance 2
///     stage 3     a              b     c      d     e      f      to distance 1
///
/// ceil(log2 p) stages, p-1 messages in total; a block makes a hop for each binary one in its rank,
/// on average half of log2 p hops. A rank starts all its sends at once, those of the largest
/// subtrees first. Ranks are counted from the root, and messages without bytes are not sent. The
/// blocks for one child of the root may lie at both ends of the buffer; these are copied together
/// and sent last. thakur2005.
#include <vector>

#include "tradewind/comm/block_tree.hpp"
#include "tradewind/comm/scatter/pieces.hpp"
#include "tradewind/comm/workspace.hpp"

namespace tradewind {

namespace {

Task hand_down(Comm& comm, Scatter data, BlockTree tree) {
    const Bytes size = tree.size();
    if (size == 0) co_return;
    if (tree.is_leaf()) {
        co_await comm.recv(tree.parent(), data.mine, tags::scatter);
        co_return;
    }
    const Workspace memory(comm, data.mine.is_null() ? 0 : size);
    const Buffer list(memory.data(), size);
    co_await comm.recv(tree.parent(), list, tags::scatter);
    std::vector<Request> requests;
    tree.for_each_child([&](const BlockTree::Child& child) {
        const Buffer out = list.part(child.offset, child.size);
        requests.push_back(comm.isend(child.rank, out, tags::scatter));
    });
    copy(comm, list.part(0, data.mine.size()), data.mine);
    co_await comm.wait_all(requests);
}

Task distribute(Comm& comm, Scatter data, BlockTree tree) {
    const BlockTree::Child cut = tree.cut();
    const Workspace memory(comm, data.all.is_null() ? 0 : cut.size);
    const Buffer aside(memory.data(), cut.size);
    std::vector<Request> requests;
    tree.for_each_child([&](const BlockTree::Child& child) {
        const ConstBuffer out = data.all.part(child.offset, child.size);
        requests.push_back(comm.isend(child.rank, out, tags::scatter));
    });
    if (cut.size > 0) {
        const Bytes last = data.all.size() - cut.offset;
        copy(comm, data.all.part(cut.offset, last), aside.part(0, last));
        copy(comm, data.all.part(0, cut.size - last), aside.part(last, cut.size - last));
        requests.push_back(comm.isend(cut.rank, aside, tags::scatter));
    }
    copy(comm, data.blocks.part(data.all, data.root), data.mine);
    co_await comm.wait_all(requests);
}

Task scatter_binomial(Comm& comm, Scatter data, Options /*options*/) {
    require_blocks(comm, data, "scatter binomial");
    const BlockTree tree(comm, data.blocks, data.root);
    return tree.is_root() ? distribute(comm, data, tree) : hand_down(comm, data, tree);
}

}  // namespace

extern const ScatterAlgorithm scatter_binomial_entry;
constinit const ScatterAlgorithm scatter_binomial_entry = {
    .name = "binomial",
    .summary = "blocks of subtrees down a binomial tree, ceil(log2 P) stages",
    .run = scatter_binomial,
    .total = block_tree_totals,
};

}  // namespace tradewind

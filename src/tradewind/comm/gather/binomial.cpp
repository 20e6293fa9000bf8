/// Binomial gather: blocks travel up a binomial tree; each rank sends those of its whole subtree in
/// one message.
///
///     p = 6       rank 0         1     2      3     4      5
///     start       a              b     c      d     e      f
///     stage 1     a b            .     c d    .     e f    .      from distance 1
///     stage 2     a b c d        .     .      .     e f    .      from distance 2
///     stage 3     a b c d e f    .     .      .     .      .      from distance 4
///
/// ceil(log2 p) stages, p-1 messages in total; a block makes a hop for each binary one in its rank,
/// on average half of log2 p hops. A rank posts all its receives at once. Ranks are counted from
/// the root, and messages without bytes are not sent. The blocks of one child of the root may lie
/// at both ends of the result; these are copied to their places. thakur2005.
#include <vector>

#include "tradewind/comm/block_tree.hpp"
#include "tradewind/comm/gather/pieces.hpp"
#include "tradewind/comm/workspace.hpp"

namespace tradewind {

namespace {

Task pass_up(Comm& comm, Gather data, BlockTree tree) {
    const Bytes size = tree.size();
    if (size == 0) co_return;
    if (tree.is_leaf()) {
        co_await comm.send(tree.parent(), data.mine, tags::gather);
        co_return;
    }
    const Workspace memory(comm, data.mine.is_null() ? 0 : size);
    const Buffer list(memory.data(), size);
    std::vector<Request> requests;
    tree.for_each_child([&](const BlockTree::Child& child) {
        const Buffer in = list.part(child.offset, child.size);
        requests.push_back(comm.irecv(child.rank, in, tags::gather));
    });
    copy(comm, data.mine, list.part(0, data.mine.size()));
    co_await comm.wait_all(requests);
    co_await comm.send(tree.parent(), list, tags::gather);
}

Task collect(Comm& comm, Gather data, BlockTree tree) {
    const BlockTree::Child cut = tree.cut();
    const Workspace memory(comm, data.all.is_null() ? 0 : cut.size);
    const Buffer aside(memory.data(), cut.size);
    std::vector<Request> requests;
    tree.for_each_child([&](const BlockTree::Child& child) {
        const Buffer in = data.all.part(child.offset, child.size);
        requests.push_back(comm.irecv(child.rank, in, tags::gather));
    });
    if (cut.size > 0) requests.push_back(comm.irecv(cut.rank, aside, tags::gather));
    copy(comm, data.mine, data.blocks.part(data.all, data.root));
    co_await comm.wait_all(requests);
    if (cut.size == 0) co_return;
    const Bytes last = data.all.size() - cut.offset;
    copy(comm, aside.part(0, last), data.all.part(cut.offset, last));
    copy(comm, aside.part(last, cut.size - last), data.all.part(0, cut.size - last));
}

Task gather_binomial(Comm& comm, Gather data, Options /*options*/) {
    require_blocks(comm, data, "gather binomial");
    const BlockTree tree(comm, data.blocks, data.root);
    return tree.is_root() ? collect(comm, data, tree) : pass_up(comm, data, tree);
}

}  // namespace

extern const GatherAlgorithm gather_binomial_entry;
constinit const GatherAlgorithm gather_binomial_entry = {
    .name = "binomial",
    .summary = "blocks of subtrees up a binomial tree, ceil(log2 P) stages",
    .run = gather_binomial,
    .total = block_tree_totals,
};

}  // namespace tradewind

/// Linear scatter: the root sends every rank its block, all of them at once.
///
///     p = 4       rank 0     1     2     3
///     start       a b c d    .     .     .
///     stage 1     a b c d    b     c     d      to 1, 2 and 3
///
/// p-1 messages, all from the root; empty blocks are not sent. No block travels twice, but the root
/// has p-1 messages at a time. thakur2005.
#include <vector>

#include "tradewind/comm/block_tree.hpp"
#include "tradewind/comm/scatter/pieces.hpp"

namespace tradewind {

namespace {

Task scatter_linear(Comm& comm, Scatter data, Options /*options*/) {
    require_blocks(comm, data, "scatter linear");
    if (comm.rank() != data.root) {
        if (data.mine.size() > 0) co_await comm.recv(data.root, data.mine, tags::scatter);
        co_return;
    }
    std::vector<Request> requests;
    for (Rank i = 1; i < comm.size(); ++i) {
        const Rank to = absolute(i, data.root, comm.size());
        const ConstBuffer out = data.blocks.part(data.all, to);
        if (out.size() > 0) requests.push_back(comm.isend(to, out, tags::scatter));
    }
    copy(comm, data.blocks.part(data.all, data.root), data.mine);
    co_await comm.wait_all(requests);
}

}  // namespace

extern const ScatterAlgorithm scatter_linear_entry;
constinit const ScatterAlgorithm scatter_linear_entry = {
    .name = "linear",
    .summary = "the root sends every rank its block",
    .run = scatter_linear,
    .total = single_block_totals,
};

}  // namespace tradewind

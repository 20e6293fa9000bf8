/// Linear gather: every rank sends its block to the root, which receives all of them at once.
///
///     p = 4       rank 0     1     2     3
///     start       a          b     c     d
///     stage 1     a b c d    b     c     d      from 1, 2 and 3
///
/// p-1 messages, all to the root; empty blocks are not sent. No block travels twice, but the root
/// has p-1 messages at a time. thakur2005.
#include <vector>

#include "tradewind/comm/block_tree.hpp"
#include "tradewind/comm/gather/pieces.hpp"

namespace tradewind {

namespace {

Task gather_linear(Comm& comm, Gather data, Options /*options*/) {
    require_blocks(comm, data, "gather linear");
    if (comm.rank() != data.root) {
        if (data.mine.size() > 0) co_await comm.send(data.root, data.mine, tags::gather);
        co_return;
    }
    std::vector<Request> requests;
    for (Rank i = 1; i < comm.size(); ++i) {
        const Rank from = absolute(i, data.root, comm.size());
        const Buffer in = data.blocks.part(data.all, from);
        if (in.size() > 0) requests.push_back(comm.irecv(from, in, tags::gather));
    }
    copy(comm, data.mine, data.blocks.part(data.all, data.root));
    co_await comm.wait_all(requests);
}

}  // namespace

extern const GatherAlgorithm gather_linear_entry;
constinit const GatherAlgorithm gather_linear_entry = {
    .name = "linear",
    .summary = "every rank sends its block to the root",
    .run = gather_linear,
    .total = single_block_totals,
};

}  // namespace tradewind

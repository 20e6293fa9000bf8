/// Bruck allgather: every rank doubles its list of blocks in each stage, starting with its own
/// block.
///
///     p = 5       rank 0        rank 1        rank 2        rank 3        rank 4
///     start       a             b             c             d             e
///     stage 1     ab            bc            cd            de            ea
///     stage 2     abcd          bcde          cdea          deab          eabc
///     stage 3     abcde         bcdea         cdeab         deabc         eabcd
///
/// Stage i sends the list to rank - 2^(i-1); the last stage sends only the missing blocks.
/// ceil(log2 p) messages and (p-1) n bytes per rank, for any p; blocks may have any sizes. Finally
/// the list is rotated, with extra memory for at most half of it. bruck1997, thakur2005.
#include <algorithm>

#include "tradewind/comm/allgather/algorithms.hpp"
#include "tradewind/comm/allgather/pieces.hpp"
#include "tradewind/comm/workspace.hpp"

namespace tradewind {

namespace {

/// Rotates the list, which begins with this rank's block, so that it begins with the block of rank
/// 0; `back` bytes of lower ranks are at its end. The shorter part is copied aside while the longer
/// one moves.
void rotate_blocks(Comm& comm, const Allgather& data, Bytes back) {
    const Bytes all = data.all.size();
    const Bytes aside = std::min(back, all - back);
    if (aside == 0) return;
    comm.charge({all + aside, 3, 0});
    if (data.all.is_null()) return;
    const Workspace memory(comm, aside);
    const Buffer kept = memory.buffer();
    std::byte* const first = data.all.data();
    if (back <= all - back) {
        copy(data.all.part(all - back, back), kept);
        std::memmove(first + back, first, std::size_t(all - back));
        copy(kept, data.all.part(0, back));
    } else {
        copy(data.all.part(0, all - back), kept);
        std::memmove(first, first + (all - back), std::size_t(back));
        copy(kept, data.all.part(back, all - back));
    }
}

}  // namespace

Task allgather_bruck(Comm& comm, Allgather data, Options /*options*/) {
    const RankBlocks blocks = checked_blocks(comm, data, "allgather bruck");
    const Rank p = comm.size();
    const Rank r = comm.rank();
    const RotatedBlocks list(blocks, r, p);
    copy(comm, data.mine, list.part(data.all, 0));
    for (Rank have = 1; have < p; have *= 2) {
        const Rank to = r >= have ? r - have : r - have + p;
        const Rank from = r + have < p ? r + have : r + have - p;
        const Rank count = std::min(have, p - have);
        co_await comm.exchange(to, list.part(data.all, 0, count), from,
                               list.part(data.all, have, count), tags::allgather);
    }
    rotate_blocks(comm, data, blocks.offset(r));
}

extern const AllgatherAlgorithm allgather_bruck_entry;
constinit const AllgatherAlgorithm allgather_bruck_entry = {
    .name = "bruck",
    .summary = "ceil(log2 P) stages for any P",
    .run = allgather_bruck,
    .total = allgather_doubling_totals,
};

}  // namespace tradewind

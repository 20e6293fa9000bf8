/// Bruck allgather: every rank doubles its list of blocks in each stage; the list starts with its
/// own block.
///
///     p = 5       rank 0        rank 1        rank 2        rank 3        rank 4
///     start       a             b             c             d             e
///     stage 1     ab            bc            cd            de            ea
///     stage 2     abcd          bcde          cdea          deab          eabc
///     stage 3     abcde         bcdea         cdeab         deabc         eabcd
///
/// Stage i sends the list to rank - 2^i; the last stage sends only what is missing. ceil(log2 p)
/// messages and (p-1) n bytes per rank, for any p; finally the list is rotated in place. bruck1997,
/// thakur2005.
#include <algorithm>

#include "tradewind/comm/allgather/algorithms.hpp"
#include "tradewind/comm/allgather/pieces.hpp"

namespace tradewind {

namespace {

/// The list begins with the block of `rank`, the result with that of rank 0.
void rotate_blocks(const Allgather& data, Rank rank) {
    if (data.all.is_null()) return;
    std::byte* const end = data.all.data() + data.all.size();
    std::rotate(data.all.data(), end - rank * data.mine.size(), end);
}

}  // namespace

Task allgather_bruck(Comm& comm, Allgather data, Options /*options*/) {
    require_room(comm, data, "allgather bruck");
    const Rank p = comm.size();
    const Rank r = comm.rank();
    copy(data.mine, blocks(data, 0));
    for (Rank have = 1; have < p; have *= 2) {
        const Rank to = r >= have ? r - have : r - have + p;
        const Rank from = r + have < p ? r + have : r + have - p;
        const Rank count = std::min(have, p - have);
        co_await comm.exchange(to, blocks(data, 0, count), from, blocks(data, have, count),
                               tags::allgather);
    }
    rotate_blocks(data, r);
}

}  // namespace tradewind

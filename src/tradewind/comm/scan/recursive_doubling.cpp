/// Recursive doubling scan: partners at distance 1, 2, 4, ... exchange the sums of their groups; a
/// rank adds those of lower groups to its result.
///
///     p = 4                rank 0    rank 1    rank 2    rank 3
///     start     result     a         b         c         d
///               group      a         b         c         d
///     stage 1   result     a         ab        c         cd
///               group      ab        ab        cd        cd
///     stage 2   result     a         ab        abc       abcd
///
/// ceil(log2 p) stages, at most one message of n bytes per rank in each: a rank without a partner,
/// as p is not a power of two, goes on to the next stage. It works on two more vectors. The
/// exclusive result begins with the first sum of a lower group. An empty vector is not sent.
/// thakur2005.
#include <algorithm>

#include "tradewind/comm/allreduce/pieces.hpp"
#include "tradewind/comm/allreduce/totals.hpp"
#include "tradewind/comm/scan/scan.hpp"

namespace tradewind {

namespace {

Task scan_recursive_doubling(Comm& comm, Scan vector, Options /*options*/) {
    require_whole_elements({vector.data, vector.reduction}, "scan recursive_doubling");
    const Rank p = comm.size();
    if (vector.data.size() == 0 || p == 1) co_return;
    const ArrivedVector memory(comm, vector.data);
    const ArrivedVector arrival(comm, vector.data);
    const Buffer group = memory.buffer();
    const Buffer arrived = arrival.buffer();
    bool has_result = !vector.exclusive;
    copy(comm, vector.data, group);
    for (Rank distance = 1; distance < p; distance *= 2) {
        const Rank partner = comm.rank() ^ distance;
        if (partner >= p) continue;
        co_await comm.exchange(partner, group, partner, arrived, tags::scan);
        if (partner < comm.rank()) {
            if (has_result) combine(comm, vector.reduction, arrived, vector.data);
            if (!has_result) copy(comm, arrived, vector.data);
            has_result = true;
        }
        if (2 * distance < p) combine(comm, vector.reduction, arrived, group);
    }
}

/// Returns a message in each direction for all pairs of ranks that differ in one binary digit.
MessageTotals totals(Rank ranks, std::int64_t /*radix*/, std::int64_t length) {
    if (length == 0) return {};
    std::int64_t pairs = 0;
    for (Rank distance = 1; distance < ranks; distance *= 2) {
        const Rank left = ranks % (2 * distance);
        pairs += ranks / (2 * distance) * distance + std::max(left - distance, Rank{0});
    }
    return {2 * pairs, 2 * pairs * length * word_bytes};
}

}  // namespace

extern const ScanAlgorithm scan_recursive_doubling_entry;
constinit const ScanAlgorithm scan_recursive_doubling_entry = {
    .name = "recursive_doubling",
    .summary = "pairs exchange the sums of their groups, ceil(log2 P) stages",
    .run = scan_recursive_doubling,
    .total = totals,
};

}  // namespace tradewind

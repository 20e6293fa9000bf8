/// Hierarchical allreduce: groups of k neighbouring ranks reduce to their first rank, these leaders
/// reduce among themselves, and each leader sends the result to its group.
///
///     p = 8, k = 4    rank 0    1     2     3     4     5     6     7
///     gather          0..3      .     .     .     4..7  .     .     .
///     leaders         0..7      .     .     .     0..7  .     .     .
///     scatter         0..7      0..7  0..7  0..7  0..7  0..7  0..7  0..7
///
/// `options.radix` is k, at least 2: as a rule the number of ranks that share a node or a switch.
/// 2(k-1) messages of n bytes per group stay within it; the ceil(p/k) leaders run
/// recursive_doubling. A leader combines in the order of its ranks and the results are copied, so
/// all ranks get the same bits. The last group may be smaller. karonis2000.
#include <vector>

#include "tradewind/comm/allreduce/algorithms.hpp"
#include "tradewind/comm/allreduce/pieces.hpp"
#include "tradewind/comm/allreduce/totals.hpp"
#include "tradewind/comm/sub_comm.hpp"

namespace tradewind {

namespace {

Task allreduce_hierarchical(Comm& comm, Allreduce vector, Options options) {
    require_at_least(2, options.radix, "allreduce hierarchical");
    require_default(options.protocol, "allreduce hierarchical");
    require_two_sided(options.transport, "allreduce hierarchical");
    require_whole_elements(vector, "allreduce hierarchical");
    const Rank k = options.radix;
    const Rank own = comm.rank() % k;
    const Rank first = comm.rank() - own;
    const Rank members = std::min(k, comm.size() - first);
    // Every rank makes one, so that later communicators get the same number on all ranks.
    SubComm equals = comm.strided(own, k, (comm.size() - own + k - 1) / k);
    if (own > 0) {
        co_await comm.send(first, vector.data, tags::allreduce);
        co_await comm.recv(first, vector.data, tags::allreduce);
        co_return;
    }
    const Slots slots(comm, vector.data, vector.data.size(), members - 1);
    std::vector<Request> requests;
    for (Rank i = 1; i < members; ++i)
        requests.push_back(comm.irecv(first + i, slots[i - 1], tags::allreduce));
    co_await comm.wait_all(requests);
    combine_group(comm, vector, slots, members, 0);
    co_await allreduce_recursive_doubling(equals, vector, {});
    requests.clear();
    for (Rank i = 1; i < members; ++i)
        requests.push_back(comm.isend(first + i, vector.data, tags::allreduce));
    co_await comm.wait_all(requests);
}

/// Returns the totals of the messages between each member of a group and its leader, and of those
/// among the leaders.
MessageTotals totals(Rank ranks, std::int64_t radix, std::int64_t length) {
    const Rank leaders = (ranks + radix - 1) / radix;
    const std::int64_t messages = 2 * (ranks - leaders);
    return doubling_totals(leaders, radix, length) +
           MessageTotals{messages, messages * length * word_bytes};
}

}  // namespace

extern const AllreduceAlgorithm allreduce_hierarchical_entry;
constinit const AllreduceAlgorithm allreduce_hierarchical_entry = {
    .name = "hierarchical",
    .summary = "within groups of `radix` ranks, among their first ones, and back",
    .run = allreduce_hierarchical,
    .total = totals,
    .smallest_radix = 2,
    .default_radix = 16,
};

}  // namespace tradewind

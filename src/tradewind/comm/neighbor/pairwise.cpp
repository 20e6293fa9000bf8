/// Pairwise: one partner after the other, messages in both directions at once.
///
///     rank 5 with edges to 1, 4 and from 4, 7     <-> 4 (xor 1), <- 7 (xor 2), -> 1 (xor 4)
///
/// Partners come in the order of rank xor partner, a number that is the same for both ranks of a
/// pair. Of all waiting pairs, the one with the smallest number waits for no other pair, so that no
/// protocol deadlocks. One message for every edge; the requests of one partner are open at a time.
#include <map>

#include "tradewind/comm/neighbor/algorithms.hpp"
#include "tradewind/comm/neighbor/pieces.hpp"
#include "tradewind/comm/protocol/exchange.hpp"

namespace tradewind {

namespace {

/// The messages to and from one partner.
struct PartnerMessages {
    std::vector<ConstBuffer> out;
    std::vector<Buffer> in;
};

/// Returns the swaps in the order of the partners. A rank that is a neighbour several times has
/// several swaps in a row; the last of them may be one-way.
std::vector<MessagePair> swaps_of(const Comm& comm, const NeighborExchange& data) {
    const Rank rank = comm.rank();
    std::map<Rank, PartnerMessages> partners;
    for (const Neighbor& to : data.neighbors->destinations) {
        if (travels(to, rank)) partners[to.rank ^ rank].out.push_back(message_to(data, to));
    }
    for (const Neighbor& from : data.neighbors->sources) {
        if (travels(from, rank)) partners[from.rank ^ rank].in.push_back(message_from(data, from));
    }
    std::vector<MessagePair> swaps;
    for (auto& [key, messages] : partners) {
        const Rank partner = key ^ rank;
        const std::size_t count = std::max(messages.out.size(), messages.in.size());
        messages.out.resize(count);
        messages.in.resize(count);
        for (std::size_t i = 0; i < count; ++i) {
            swaps.push_back(
                {partner, messages.out[i], partner, messages.in[i], swaps_first(rank, partner)});
        }
    }
    return swaps;
}

Task neighbor_pairwise(Comm& comm, NeighborExchange data, Options options) {
    require_two_sided(options.transport, "neighbor pairwise");
    check_neighbors(comm, data);
    copy_own_messages(comm, data);
    const std::vector<MessagePair> swaps = swaps_of(comm, data);
    if (options.protocol.is_default()) {
        for (const MessagePair& swap : swaps) co_await start(comm, swap, tags::neighbor);
        co_return;
    }
    MessagePairs pairs;
    pairs.count = std::int64_t(swaps.size());
    pairs.tag = tags::neighbor;
    pairs.pair = [&swaps](std::int64_t i) { return swaps[std::size_t(i)]; };
    co_await exchange(comm, pairs, options.protocol);
}

}  // namespace

extern const NeighborAlgorithm neighbor_pairwise_entry;
constinit const NeighborAlgorithm neighbor_pairwise_entry = {
    .name = "pairwise",
    .summary = "one partner after the other, in the order of rank xor partner",
    .run = neighbor_pairwise,
    .total = message_totals,
    .has_protocols = true,
};

}  // namespace tradewind

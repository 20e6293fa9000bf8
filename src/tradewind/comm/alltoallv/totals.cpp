/// The messages and bytes of alltoallv algorithms.
#include "tradewind/comm/alltoallv/totals.hpp"

#include <map>
#include <tuple>

namespace tradewind {

MessageTotals direct_totals(Rank ranks, std::int64_t /*radix*/, const BlockSizes& blocks) {
    MessageTotals totals;
    for (Rank from = 0; from < ranks; ++from) {
        for (Rank to = 0; to < ranks; ++to) {
            if (from != to && blocks.size(from, to) > 0) totals.add(blocks.size(from, to));
        }
    }
    return totals;
}

/// Follows each block over its hops and adds it to the message that it shares with others.
MessageTotals bruck_totals(Rank ranks, std::int64_t radix, const BlockSizes& blocks) {
    // By holder, weight and digit; counts blocks.
    std::map<std::tuple<Rank, Rank, Rank>, MessageTotals> messages;
    for (Rank from = 0; from < ranks; ++from) {
        for (Rank distance = 1; distance < ranks; ++distance) {
            for (Rank weight = 1; weight <= distance; weight *= radix) {
                const Rank digit = distance / weight % radix;
                if (digit == 0) continue;
                messages[{(from + distance % weight) % ranks, weight, digit}].add(
                    blocks.size(from, (from + distance) % ranks));
            }
        }
    }
    MessageTotals totals;
    for (const auto& [key, held] : messages) totals = totals + combined_message(held, blocks);
    return totals;
}

MessageTotals combined_message(MessageTotals held, const BlockSizes& blocks) {
    constexpr Bytes size_bytes = 8;
    const std::int64_t headers = blocks.known_to_all ? 0 : 1;
    return {headers + (held.bytes > 0 ? 1 : 0), headers * size_bytes * held.messages + held.bytes};
}

}  // namespace tradewind

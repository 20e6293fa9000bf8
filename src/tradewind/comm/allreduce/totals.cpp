/// The messages and bytes of allreduce algorithms.
#include "tradewind/comm/allreduce/totals.hpp"

#include <algorithm>
#include <bit>

namespace tradewind {

MessageTotals recursive_k_totals(Rank ranks, std::int64_t radix, std::int64_t length) {
    Rank core = 1;
    std::int64_t stages = 0;
    for (; core * radix <= ranks; core *= radix) ++stages;
    const std::int64_t messages = 2 * (ranks - core) + core * stages * (radix - 1);
    return {messages, messages * length * word_bytes};
}

MessageTotals doubling_totals(Rank ranks, std::int64_t /*radix*/, std::int64_t length) {
    return length > 0 ? recursive_k_totals(ranks, 2, length) : MessageTotals{};
}

/// Parts of a vector that begin behind its last element are not sent.
MessageTotals halving_totals(Rank ranks, std::int64_t /*radix*/, std::int64_t length) {
    const Rank core = Rank(std::bit_floor(std::uint64_t(ranks)));
    const std::int64_t folds = length > 0 ? 2 * (ranks - core) : 0;
    std::int64_t messages = folds;
    for (Rank distance = 1; distance < core; distance *= 2) {
        messages += 2 * distance * ((std::min(length, core) + distance - 1) / distance);
    }
    return {messages, (folds + 2 * (core - 1)) * length * word_bytes};
}

MessageTotals tree_totals(Rank ranks, std::int64_t /*radix*/, std::int64_t length) {
    return {2 * (ranks - 1), 2 * (ranks - 1) * length * word_bytes};
}

}  // namespace tradewind

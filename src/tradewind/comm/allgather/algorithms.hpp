/// The allgather algorithms that other files call.
#pragma once

#include <bit>

#include "tradewind/comm/allgather/allgather.hpp"

namespace tradewind {

Task allgather_bruck(Comm& comm, Allgather data, Options options);
Task allgather_ring(Comm& comm, Allgather data, Options options);
/// Returns the messages and bytes of a ring.
[[nodiscard]] inline MessageTotals allgather_ring_totals(Rank ranks, std::int64_t /*radix*/,
                                                         const RankBlocks& blocks) noexcept {
    return {ranks * (ranks - 1), (ranks - 1) * blocks.offset(ranks)};
}
/// Returns the messages and bytes of ceil(log2 P) stages in which the known blocks double.
[[nodiscard]] inline MessageTotals allgather_doubling_totals(Rank ranks, std::int64_t /*radix*/,
                                                             const RankBlocks& blocks) noexcept {
    return {ranks * std::int64_t(std::bit_width(std::uint64_t(ranks - 1))),
            (ranks - 1) * blocks.offset(ranks)};
}

}  // namespace tradewind

/// The bcast algorithms that other files call.
#pragma once

#include "tradewind/comm/bcast/bcast.hpp"

namespace tradewind {

Task bcast_chain(Comm& comm, Bcast message, Options options);
Task bcast_tree(Comm& comm, Bcast message, Options options);
/// Returns the messages and bytes of a broadcast along any tree.
[[nodiscard]] constexpr MessageTotals bcast_tree_totals(Rank ranks, std::int64_t /*radix*/,
                                                        Bytes bytes) noexcept {
    return {ranks - 1, (ranks - 1) * bytes};
}

}  // namespace tradewind

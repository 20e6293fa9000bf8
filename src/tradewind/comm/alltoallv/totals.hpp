/// The messages and bytes of alltoallv algorithms, as formulas that several of them share.
#pragma once

#include "tradewind/comm/alltoallv/alltoallv.hpp"

namespace tradewind {

/// Returns one message for every block that is not empty.
[[nodiscard]] MessageTotals direct_totals(Rank ranks, std::int64_t radix, const BlockSizes& blocks);
/// Returns the totals of blocks that travel together, a hop for each digit of their distance.
[[nodiscard]] MessageTotals bruck_totals(Rank ranks, std::int64_t radix, const BlockSizes& blocks);
/// Returns the totals of one message that holds blocks. A message with their sizes precedes it
/// where not all ranks know them; without bytes it is not sent.
[[nodiscard]] MessageTotals combined_message(MessageTotals held, const BlockSizes& blocks);

}  // namespace tradewind

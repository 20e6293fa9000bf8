/// The messages and bytes of allreduce algorithms, as formulas that several of them share.
#pragma once

#include "tradewind/comm/message_totals.hpp"
#include "tradewind/comm/types.hpp"

namespace tradewind {

/// The bytes of an element of the vectors that the formulas are for.
inline constexpr Bytes word_bytes = 8;

/// Returns the totals of stages in which groups of `radix` ranks exchange whole vectors.
[[nodiscard]] MessageTotals recursive_k_totals(Rank ranks, std::int64_t radix, std::int64_t length);
/// Returns those of radix 2, or none for an empty vector, which is not sent.
[[nodiscard]] MessageTotals doubling_totals(Rank ranks, std::int64_t radix, std::int64_t length);
/// Returns the totals of a reduce-scatter by halving and an allgather by doubling.
[[nodiscard]] MessageTotals halving_totals(Rank ranks, std::int64_t radix, std::int64_t length);
/// Returns the totals of a reduction and a broadcast along any tree.
[[nodiscard]] MessageTotals tree_totals(Rank ranks, std::int64_t radix, std::int64_t length);

}  // namespace tradewind

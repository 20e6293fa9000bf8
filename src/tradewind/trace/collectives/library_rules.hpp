/// The rules by which MPI libraries choose the algorithm of a collective: by ranks and bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "tradewind/base/units.hpp"
#include "tradewind/comm/types.hpp"
#include "tradewind/trace/call.hpp"

namespace tradewind::trace {

/// The library whose rules choose the algorithms that are not given; none: defaults hold.
enum class ChoiceRules : std::uint8_t { none, mpich, openmpi };

/// The algorithm of a collective that is made of two others, by their own rules: one to rank 0 and
/// one from it.
inline constexpr std::string_view via_root = "via_root";

/// Returns the algorithms among which a library chooses for an operation, at least one, with their
/// options. Throws Error if there are no rules.
[[nodiscard]] std::span<const std::string_view> algorithms_by(ChoiceRules rules,
                                                              std::string_view operation);

/// Returns the place, among these, of the algorithm for a call on a number of ranks.
/// @param bytes the bytes of a block for an alltoall, gather or scatter, those of the contribution
///     for a reduction, and those of all blocks together for an allgather or a reduce_scatter
[[nodiscard]] std::size_t choice_by(ChoiceRules rules, Call call, Rank ranks, Bytes bytes) noexcept;

}  // namespace tradewind::trace

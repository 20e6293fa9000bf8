/// The rules by which MPI libraries choose the algorithm of a collective: by ranks and bytes.
#pragma once

#include <cstdint>
#include <string_view>

#include "tradewind/base/units.hpp"
#include "tradewind/comm/types.hpp"
#include "tradewind/trace/call.hpp"

namespace tradewind::trace {

/// The library whose rules choose the algorithms that are not given; none: defaults hold.
enum class ChoiceRules : std::uint8_t { none, mpich };

/// The calls of an operation for which a library takes one algorithm.
enum class CallClass : std::uint8_t { small, medium, large };
inline constexpr CallClass call_classes[] = {CallClass::small, CallClass::medium, CallClass::large};

/// Returns the algorithm of an operation for the calls of a class.
[[nodiscard]] std::string_view algorithm_by(ChoiceRules rules, std::string_view operation,
                                            CallClass calls);

/// Returns the class of a call on a number of ranks.
/// @param bytes the bytes that the library compares: those of a block for an alltoall, of the
///     contribution for a reduction, and of all blocks together for an allgather or a
///     reduce_scatter
[[nodiscard]] CallClass class_of(ChoiceRules rules, Call call, Rank ranks, Bytes bytes) noexcept;

}  // namespace tradewind::trace

/// The checks of what a trace holds, so that what reads it need not doubt it.
#pragma once

#include "tradewind/comm/types.hpp"
#include "tradewind/trace/call.hpp"
#include "tradewind/trace/trace.hpp"

namespace tradewind::trace {

/// The most ranks of a trace.
inline constexpr Rank most_ranks = Rank{1} << 24;
/// The most bytes of a message, requests of a rank, and turns of a loop.
inline constexpr std::int64_t most_bytes = std::int64_t{1} << 50;
inline constexpr std::int64_t most_slots = std::int64_t{1} << 24;
inline constexpr std::int64_t most_turns = std::int64_t{1} << 48;
/// The most windows of puts with signals, and signals of each.
inline constexpr std::int64_t most_windows = std::int64_t{1} << 10;
inline constexpr std::int64_t most_signals = std::int64_t{1} << 16;
/// The deepest nesting of loops.
inline constexpr std::size_t deepest_loop = 64;

/// Throws TraceError unless the arguments have the shape of the call.
void check_shape(Call call, std::int64_t flags, Numbers arguments);

/// Throws TraceError unless every index in the arrays lies in the array that it points to, loops
/// are nested, and events have the shapes of their calls.
void check(const TraceView& trace);

/// The arguments of an event without the slot of a nonblocking call.
[[nodiscard]] inline Numbers arguments_of(std::int64_t flags, Numbers arguments) noexcept {
    return (flags & flag::nonblocking) != 0 ? arguments.first(arguments.size() - 1) : arguments;
}

}  // namespace tradewind::trace

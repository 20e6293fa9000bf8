/// The calls of MPI that a trace holds, and the shapes of their arguments.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

namespace tradewind::trace {

enum class Call : std::int16_t {
#define CALL(name, shape) name,
#include "tradewind/trace/calls.def"
#undef CALL
};

enum class ArgumentShape : std::int8_t {
    none,
    message,
    exchange,
    slots,
    bytes,
    root,
    root_counts,
    counts,
    blocks,
    graph,
    number,
    window,
    access,
    peers,
    signalled,
    awaited
};

struct CallInfo {
    std::string_view name;
    ArgumentShape shape = ArgumentShape::none;
};

/// The calls in the order of `Call`.
inline constexpr CallInfo call_infos[] = {
#define CALL(name, shape) {#name, ArgumentShape::shape},
#include "tradewind/trace/calls.def"
#undef CALL
};

[[nodiscard]] constexpr std::span<const CallInfo> all_calls() noexcept {
    return call_infos;
}

/// Bits of what is true of a call beside its arguments.
namespace flag {
/// The receive or probe was posted for any source or any tag; the arguments say what matched.
inline constexpr std::int64_t wildcard = 1;
/// The call depends on timing: a successful test, a wait for any or some.
inline constexpr std::int64_t timing = 2;
/// The call returned before it was complete; its last argument is the slot of its request.
inline constexpr std::int64_t nonblocking = 4;
/// The message was started from a persistent request.
inline constexpr std::int64_t persistent = 8;
/// The lock is exclusive.
inline constexpr std::int64_t exclusive = 16;
/// The program has promised that nothing is in the way (MPI_MODE_NOCHECK): a lock, a post or a
/// start without messages.
inline constexpr std::int64_t unchecked = 32;
/// All flags.
inline constexpr std::int64_t all = 63;
}  // namespace flag

/// The peer of a message to or from MPI_PROC_NULL.
inline constexpr std::int64_t no_peer = std::numeric_limits<std::int64_t>::min();
/// The number of the communicator of all ranks, and of the one of the own rank alone.
inline constexpr std::int64_t world = 0;
inline constexpr std::int64_t self = 1;
/// The number of what does not exist: the string of an unknown call site, or the communicator that
/// a rank is not in.
inline constexpr std::int64_t none = -1;

}  // namespace tradewind::trace

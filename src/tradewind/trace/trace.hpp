/// Trace: what each rank of a recorded program called, folded into loops, as plain arrays.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tradewind::trace {

using Numbers = std::span<const std::int64_t>;

/// The numbers of an event: call, communicator, flags, site, first argument, count of arguments.
inline constexpr std::size_t event_size = 6;

/// The arrays of a trace in memory; arrays.def says what is in them.
struct Trace {
#define ARRAY(name) std::vector<std::int64_t> name;
#include "tradewind/trace/arrays.def"
#undef ARRAY
    /// The bytes of all strings.
    std::string strings;
};

/// A view of a trace, which may lie in a file that is larger than the memory.
struct TraceView {
#define ARRAY(name) Numbers name;
#include "tradewind/trace/arrays.def"
#undef ARRAY
    std::string_view strings;
};

/// Returns a view of a trace, which must outlive it.
[[nodiscard]] inline TraceView view_of(const Trace& trace) {
    TraceView view;
#define ARRAY(name) view.name = trace.name;
#include "tradewind/trace/arrays.def"
#undef ARRAY
    view.strings = trace.strings;
    return view;
}

}  // namespace tradewind::trace

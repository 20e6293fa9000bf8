/// Traces for Python: the builder, and the tables of calls and arrays.
#pragma once

#include <nanobind/nanobind.h>

#include "tradewind/trace/trace.hpp"

namespace tradewind::bindings {

/// Adds class TraceBuilder and the functions of traces to the module.
void add_trace(nanobind::module_& module);

/// Returns the arrays of a trace by name, and its strings as bytes under "strings".
[[nodiscard]] nanobind::dict arrays_of(trace::Trace trace);

}  // namespace tradewind::bindings

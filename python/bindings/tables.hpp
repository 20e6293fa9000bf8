/// The tables of the library as Python objects.
#pragma once

#include <nanobind/nanobind.h>

namespace tradewind::bindings {

/// Returns {table: [(name, summary), ...]}.
[[nodiscard]] nanobind::dict catalogue();

}  // namespace tradewind::bindings

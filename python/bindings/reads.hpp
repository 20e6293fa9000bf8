/// The record of the settings that set up a run.
#pragma once

#include <nanobind/nanobind.h>

namespace tradewind::bindings {

/// Returns {section: {key: value}} with all values that the library reads to set up a run: those of
/// `spec`, and the defaults that it takes for others. Nothing is simulated.
[[nodiscard]] nanobind::dict read_values(const nanobind::dict& spec);

}  // namespace tradewind::bindings

/// Measurements on simulated ranks, by the same programs as on real ones.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

namespace tradewind::bindings {

/// Runs a measurement. `spec` is that of a simulation; of its program only `ranks` is read. Returns
/// the rows as dictionaries with name, bytes, seconds and values, as tradewind-mpi prints them.
[[nodiscard]] nanobind::list measure_simulated(const nanobind::dict& spec, const std::string& name,
                                               const nanobind::dict& settings);

}  // namespace tradewind::bindings

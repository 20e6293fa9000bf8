/// Measurements on simulated ranks, the same programs as on real ones.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

namespace tradewind::bindings {

/// `spec` as of a simulation; of its program only `ranks` is read. The rows are dictionaries with
/// name, bytes, seconds and values, as tradewind-mpi prints them.
[[nodiscard]] nanobind::list measure_simulated(const nanobind::dict& spec, const std::string& name,
                                               const nanobind::dict& settings);

}  // namespace tradewind::bindings

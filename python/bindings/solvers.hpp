/// Runs the solvers of semi-implicit semi-Lagrangian models with real data on simulated ranks.
#pragma once

#include <nanobind/nanobind.h>

namespace tradewind::bindings {

/// `progress(steps)` is told of every step and may raise to end the run. Returns grid, tracer,
/// norms and traffic.
nanobind::dict run_semi_lagrangian(const nanobind::dict& settings, std::int64_t ranks,
                                   const nanobind::object& progress);

/// Returns iterations, residuals, errors and traffic.
nanobind::dict run_helmholtz(const nanobind::dict& settings, std::int64_t ranks);

}  // namespace tradewind::bindings

/// Runs of the solvers of semi-implicit semi-Lagrangian models with real data on simulated ranks.
#pragma once

#include <nanobind/nanobind.h>

namespace tradewind::bindings {

/// Runs the semi-Lagrangian advection and returns grid, tracer, norms and traffic.
/// `progress(steps)` is called after every step and may raise to end the run.
nanobind::dict run_semi_lagrangian(const nanobind::dict& settings, std::int64_t ranks,
                                   const nanobind::object& progress);

/// Solves the Helmholtz problem and returns iterations, residuals, errors and traffic.
nanobind::dict run_helmholtz(const nanobind::dict& settings, std::int64_t ranks);

}  // namespace tradewind::bindings

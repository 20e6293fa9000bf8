/// Runs the mini-models with real data on simulated ranks.
#pragma once

#include <nanobind/nanobind.h>

namespace tradewind::bindings {

/// Runs the shallow water model. `observer` has `stepped(step)`, which may raise to end the run,
/// and `observed(snapshot)`; both are called as the run proceeds. Returns grid and traffic.
nanobind::dict run_pstswm(const nanobind::dict& settings, std::int64_t ranks,
                          const nanobind::object& observer);

}  // namespace tradewind::bindings

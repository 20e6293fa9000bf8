/// Runs of the mini-models with real data on simulated ranks.
#pragma once

#include <nanobind/nanobind.h>

namespace tradewind::bindings {

/// Returns the properties of a run of the shallow water model that are known before it begins:
/// coordinates, ground, process grid, steps, fastest wave, Courant number, and names of the fields
/// in the order in which they are written.
nanobind::dict plan_pstswm(const nanobind::dict& settings, std::int64_t ranks);

/// Runs the shallow water model and returns the traffic. `observer` has `stepped(step)`, which may
/// raise to end the run, and `observed(snapshot)`; both are called as the run proceeds.
nanobind::dict run_pstswm(const nanobind::dict& settings, std::int64_t ranks,
                          const nanobind::object& observer);

}  // namespace tradewind::bindings

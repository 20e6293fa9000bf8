/// Runs of models with real data on simulated ranks.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

namespace tradewind::bindings {

/// Returns the properties of a run that are known before it begins: model, references, processes,
/// steps, time_step_s, axes, fields, fixed_fields and numbers.
nanobind::dict plan_model(const std::string& model, const nanobind::dict& settings,
                          std::int64_t ranks);

/// Estimates the bytes that a run needs: `ranks`, all together when they hold most, and `results`.
nanobind::dict predict_model_memory(const std::string& model, const nanobind::dict& settings,
                                    std::int64_t ranks);

/// Runs a model. `observer` has `stepped(step)`, which may raise to end the run, and
/// `observed(output)`; both are called as the run proceeds. `checkpoints` may hold every, file and
/// restart. Returns messages, bytes and simulated_s.
nanobind::dict run_model(const std::string& model, const nanobind::dict& settings,
                         std::int64_t ranks, const nanobind::object& observer,
                         const nanobind::dict& checkpoints);

}  // namespace tradewind::bindings

/// Memory that runs of models with data need, foretold for Python.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

namespace tradewind::bindings {

/// Bytes of all ranks together and of the results of a run, found without planning it in full.
/// Throws ConfigError for wrong settings, as the run does.
nanobind::dict foretell_memory(const std::string& model, const nanobind::dict& settings,
                               std::int64_t ranks);

}  // namespace tradewind::bindings

/// The programs of all layers under one roof: communication patterns, and models without data.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>

#include "tradewind/skeleton/program.hpp"

namespace tradewind::bindings {

/// As in skeleton/program.hpp, with the models added.
[[nodiscard]] Program make_program(const std::string& name, const Settings& settings, Rank ranks);
[[nodiscard]] skeleton::Estimate estimate(const std::string& name, const Settings& settings,
                                          Rank ranks);
[[nodiscard]] std::vector<OperationUse> operations_of(const std::string& name,
                                                      const Settings& settings, Rank ranks);
/// Where a run takes what was tuned for another number of ranks.
[[nodiscard]] std::vector<std::string> tuning_remarks_of(const std::string& name,
                                                         const Settings& settings, Rank ranks);
/// The process grid of a program that has one and says so by itself: pstswm does not.
[[nodiscard]] std::optional<ProcessGrid> processes_of(const std::string& name,
                                                      const Settings& settings, Rank ranks);
/// The program section without the keys that every program has.
[[nodiscard]] Settings program_settings(const Settings& section);
/// Names and summaries.
[[nodiscard]] nanobind::list programs();

}  // namespace tradewind::bindings

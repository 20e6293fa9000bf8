/// What a search for the best algorithm has to know.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

namespace tradewind::bindings {

/// The operations of an experiment's program whose algorithm one can choose: dictionaries with
/// operation, ranks, bytes, stage, count and key.
[[nodiscard]] nanobind::list operations(const nanobind::dict& spec);
/// Where a run takes what was tuned for another number of ranks.
[[nodiscard]] std::vector<std::string> tuning_remarks(const nanobind::dict& spec);
/// The process grid [cx, cy] of an experiment's program, or None.
[[nodiscard]] nanobind::object processes(const nanobind::dict& spec);
/// Every algorithm of the operations that can be tuned, models' own choices included: dictionaries
/// with operation, name, smallest_radix, default_radix (0 = none), has_protocols and `same_as`, an
/// earlier name of the same algorithm.
[[nodiscard]] nanobind::list algorithms();
/// The case that a tuning table gives: a dictionary with ranks, from, to, algorithm and choice.
[[nodiscard]] nanobind::dict tuned_case(const std::string& table, const std::string& operation,
                                        std::int64_t ranks, std::int64_t bytes);

}  // namespace tradewind::bindings

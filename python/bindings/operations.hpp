/// The operations, algorithms and tuned cases for a search for the best algorithm.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <string>
#include <vector>

#include "tradewind/comm/process_grid.hpp"

namespace tradewind::bindings {

/// Returns the operations of an experiment's program whose algorithm can be chosen: dictionaries
/// with operation, ranks, bytes, stage, count, key and phase.
[[nodiscard]] nanobind::list operations(const nanobind::dict& spec);
/// Returns one remark for each operation that uses a case tuned for another number of ranks.
[[nodiscard]] std::vector<std::string> tuning_remarks(const nanobind::dict& spec);
/// Returns a process grid as the list [cx, cy], or None.
[[nodiscard]] nanobind::object process_grid(const std::optional<ProcessGrid>& grid);
/// Returns the process grid [cx, cy] of an experiment's program, or None.
[[nodiscard]] nanobind::object processes(const nanobind::dict& spec);
/// Returns the phases of an experiment's program: dictionaries with name, ranks (the number that
/// run it together) and processes (the list [cx, cy], or None).
[[nodiscard]] nanobind::list phases(const nanobind::dict& spec);
/// Returns the items of an experiment's program and their neighbours, or None: first, neighbors,
/// weights, owners.
[[nodiscard]] nanobind::object item_graph(const nanobind::dict& spec);
/// Returns the edges of a graph of ranks from a file: from, to, weight. `partition` has the ranks
/// of the vertices of a METIS graph, and is empty for an edge list.
[[nodiscard]] nanobind::dict rank_edges(const std::string& graph, const std::string& partition,
                                        Rank ranks);
/// Returns who sends how many items to whom in an exchange of the halo of an experiment's program,
/// or None: from, to, weight.
[[nodiscard]] nanobind::object halo_edges(const nanobind::dict& spec);
/// Returns every algorithm of the operations that can be tuned, including the choices of models:
/// dictionaries with operation, name, options (the declarations of those that it reads), `same_as`
/// (the first name of the same algorithm) and is_default.
[[nodiscard]] nanobind::list algorithms();
/// Returns the case that a tuning table selects: a dictionary with ranks, from, to, algorithm and
/// choice.
[[nodiscard]] nanobind::dict tuned_case(const std::string& table, const std::string& operation,
                                        std::int64_t ranks, std::int64_t bytes);

}  // namespace tradewind::bindings

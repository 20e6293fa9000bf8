/// The parts of a machine, and the costs of messages on it, for people.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>

namespace tradewind::bindings {

/// Returns the nodes, switches, links, distances and bisection of a machine.
[[nodiscard]] nanobind::dict survey_machine(const nanobind::dict& spec);

/// Returns the time of a message between two nodes of a machine, and its parts.
[[nodiscard]] nanobind::dict message_cost(const nanobind::dict& spec, std::int64_t from,
                                          std::int64_t to, std::int64_t bytes);

/// Returns the shortest route between two nodes: for each link (switch, next switch, class, panel).
[[nodiscard]] nanobind::list shortest_route(const nanobind::dict& spec, std::int64_t from,
                                            std::int64_t to);

/// Returns the switches of a machine for a picture. `coordinates` has those of every switch.
/// `links` has (switch, switch, number of links, class) of joined pairs. It is empty if they are
/// more than `most_links`.
[[nodiscard]] nanobind::dict wiring(const nanobind::dict& spec, std::int64_t most_links);

/// Throws ConfigError unless the nodes of a machine have room for so many ranks.
void check_room(const nanobind::dict& spec, std::int64_t ranks);

/// Returns the node of each rank of the placement of `spec`.
[[nodiscard]] nanobind::list place_ranks(const nanobind::dict& spec, std::int64_t ranks);

}  // namespace tradewind::bindings

/// Reading of sections into the parameters of network, ranks, placement and observation.
///
/// All functions throw ConfigError with key and value where a setting is not acceptable.
#pragma once

#include "tradewind/sim/routing/routing.hpp"
#include "tradewind/simcomm/assemble.hpp"
#include "tradewind/simcomm/placement.hpp"
#include "tradewind/simcomm/simulation_setup.hpp"

namespace tradewind::simcomm {

/// Returns the section of that name, or an empty one.
[[nodiscard]] const Settings& section(const Sections& sections, const std::string& name);

[[nodiscard]] sim::NetworkParameters read_network(const Sections& sections,
                                                  const sim::Topology& topology,
                                                  const sim::Routing& routing);
[[nodiscard]] RankParameters read_ranks(const Sections& sections);
[[nodiscard]] Placement read_placement(const Sections& sections, Rank ranks,
                                       const sim::Topology& topology);

/// Throws ConfigError unless the nodes of the machine have room for so many ranks.
void check_room(const Sections& sections, std::int64_t ranks);
[[nodiscard]] sim::ObserveParameters read_observation(const Settings& settings, Rank ranks);

}  // namespace tradewind::simcomm

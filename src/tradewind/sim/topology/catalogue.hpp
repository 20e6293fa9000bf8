/// The table of all topologies.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "tradewind/base/settings.hpp"
#include "tradewind/sim/topology/topology.hpp"

namespace tradewind::sim {

struct TopologyEntry {
    std::string_view name;
    std::unique_ptr<Topology> (*make)(const Settings&);
    std::string_view default_routing;
    std::string_view summary;
};

[[nodiscard]] std::span<const TopologyEntry> topologies();

/// Returns the entry `name`. Throws TopologyError with the allowed names if there is none.
[[nodiscard]] const TopologyEntry& topology_entry(const std::string& name);

/// Builds topology `name`. Throws ConfigError with key and value where a setting is not acceptable.
[[nodiscard]] std::unique_ptr<Topology> make_topology(const std::string& name,
                                                      const Settings& settings);

}  // namespace tradewind::sim

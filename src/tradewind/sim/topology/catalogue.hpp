/// The table of all topologies.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "tradewind/base/setting.hpp"
#include "tradewind/sim/topology/topology.hpp"

namespace tradewind::sim {

/// A topology: each file of this folder defines the entry of its own one.
struct TopologyEntry {
    std::string_view name;
    std::string_view summary;
    Schema settings;
    std::unique_ptr<Topology> (*make)(const Settings&);
    std::string_view default_routing;
    /// The kinds of links that may have rates and latencies of their own; empty: they are alike.
    std::span<const std::string_view> link_classes{};
};

[[nodiscard]] std::span<const TopologyEntry* const> topologies();

/// Returns the entry `name`. Throws TopologyError with the allowed names if there is none.
[[nodiscard]] const TopologyEntry& topology_entry(std::string_view name);

/// Builds topology `name`. Throws ConfigError with key and value where a setting is not acceptable.
[[nodiscard]] std::unique_ptr<Topology> make_topology(std::string_view name,
                                                      const Settings& settings);

}  // namespace tradewind::sim

/// The table of all routing rules.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "tradewind/base/settings.hpp"
#include "tradewind/sim/routing/routing.hpp"
#include "tradewind/sim/topology/topology.hpp"

namespace tradewind::sim {

struct RoutingEntry {
    std::string_view name;
    /// The maker of the rule, which returns null where the rule does not fit the topology.
    std::unique_ptr<Routing> (*make)(const Topology&, const Settings&);
    std::string_view summary;
    /// The names of the topologies that the rule fits.
    std::string_view topologies;
};

[[nodiscard]] std::span<const RoutingEntry> routings();

/// Builds rule `name` for `topology`, which must outlive it. Throws ConfigError if there is no such
/// rule or it does not fit the topology, and names those that do.
[[nodiscard]] std::unique_ptr<Routing> make_routing(const std::string& name,
                                                    const Topology& topology,
                                                    const Settings& settings);

}  // namespace tradewind::sim

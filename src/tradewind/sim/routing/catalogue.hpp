/// The table of all routing rules.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "tradewind/base/setting.hpp"
#include "tradewind/sim/routing/routing.hpp"
#include "tradewind/sim/topology/topology.hpp"

namespace tradewind::sim {

/// A routing rule: each file of this folder defines the entry of its own one.
struct RoutingEntry {
    std::string_view name;
    std::string_view summary;
    Schema settings;
    /// The maker of the rule, which returns null where the rule does not fit the topology.
    std::unique_ptr<Routing> (*make)(const Topology&, const Settings&);
    /// The names of the topologies that the rule fits; empty: all.
    std::span<const std::string_view> topologies{};
    /// A condition on the last one of them, in words.
    std::string_view condition{};

    [[nodiscard]] bool fits(std::string_view topology) const;
};

[[nodiscard]] std::span<const RoutingEntry* const> routings();

/// Returns the names of the rules that fit a topology, its default first.
[[nodiscard]] std::vector<std::string_view> routings_of(std::string_view topology,
                                                        std::string_view default_routing);

/// Builds rule `name` for `topology`, which must outlive it. Throws ConfigError if there is no such
/// rule or it does not fit the topology, and names those that do.
[[nodiscard]] std::unique_ptr<Routing> make_routing(std::string_view name, const Topology& topology,
                                                    const Settings& settings);

namespace families {
inline constexpr std::string_view trees[] = {"fat_tree", "xgft"};
/// Those with routes over a third switch.
inline constexpr std::string_view detours[] = {"torus", "hyperx", "star", "dragonfly",
                                               "dragonfly_canonical"};
inline constexpr std::string_view grids[] = {"torus", "hyperx", "star", "dragonfly"};
}  // namespace families

}  // namespace tradewind::sim

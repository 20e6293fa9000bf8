/// The table of all routing rules.
#include "tradewind/sim/routing/catalogue.hpp"

#include <algorithm>
#include <array>

#include "tradewind/sim/routing/rules.hpp"

namespace tradewind::sim {

namespace {

constexpr std::string_view trees = "fat_tree, xgft";
constexpr std::string_view detours = "torus, hyperx, star, dragonfly, dragonfly_canonical";

std::string fitting_rules(const Topology& topology) {
    std::string names;
    for (const auto& entry : routings()) {
        if (!entry.make(topology, Settings{})) continue;
        names += text(names.empty() ? "" : ", ", entry.name);
    }
    return names;
}

}  // namespace

/// Makes the rule `minimal` or `dimension_order`, of which there is one per family of topologies.
std::unique_ptr<Routing> make_minimal(const Topology& topology, const Settings& settings) {
    for (const auto make :
         {&make_torus_dimension_order, &make_hyperx_dimension_order, &make_dragonfly_minimal,
          &make_dragonfly_canonical_minimal, &make_d_mod_k}) {
        if (auto rule = make(topology, settings)) return rule;
    }
    return nullptr;
}

std::unique_ptr<Routing> make_dimension_order(const Topology& topology, const Settings& settings) {
    for (const auto make : {&make_torus_dimension_order, &make_hyperx_dimension_order,
                            &make_dragonfly_dimension_order}) {
        if (auto rule = make(topology, settings)) return rule;
    }
    return nullptr;
}

std::span<const RoutingEntry> routings() {
    static constexpr std::array table{
        RoutingEntry{"minimal", make_minimal,
                     "the shortest route, the same for all packets of a pair", "all"},
        RoutingEntry{"dimension_order", make_dimension_order, "one dimension after the other",
                     "torus, hyperx, star, dragonfly with wiring full"},
        RoutingEntry{"d_mod_k", make_d_mod_k, "up by the digits of the destination, then down",
                     trees},
        RoutingEntry{"adaptive_up", make_adaptive_up, "up by the least loaded port, then down",
                     trees},
        RoutingEntry{"random_up", make_random_up, "up by a random port, then down", trees},
        RoutingEntry{"valiant", make_valiant, "minimal to a random switch, then minimal", detours},
        RoutingEntry{"ugal", make_ugal, "minimal or valiant, by queue length times hops", detours},
        RoutingEntry{"ugal_sstmacro", make_ugal_sstmacro, "ugal as in SST/macro 7.1", detours},
    };
    return table;
}

std::unique_ptr<Routing> make_routing(const std::string& name, const Topology& topology,
                                      const Settings& settings) {
    const auto found = std::ranges::find(routings(), name, &RoutingEntry::name);
    if (found == routings().end()) {
        throw ConfigError(text("routing \"", name, "\" is not one of ", fitting_rules(topology),
                               ", which fit this topology"));
    }
    auto rule = found->make(topology, settings);
    if (rule) return rule;
    throw ConfigError(text("routing \"", name, "\" fits ", found->topologies,
                           "; for this topology there are ", fitting_rules(topology)));
}

}  // namespace tradewind::sim

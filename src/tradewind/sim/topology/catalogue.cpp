/// The table of all topologies.
#include "tradewind/sim/topology/catalogue.hpp"

#include <algorithm>
#include <array>

#include "tradewind/sim/topology/dragonfly.hpp"
#include "tradewind/sim/topology/dragonfly_canonical.hpp"
#include "tradewind/sim/topology/hyperx.hpp"
#include "tradewind/sim/topology/torus.hpp"
#include "tradewind/sim/topology/xgft.hpp"

namespace tradewind::sim {

std::span<const TopologyEntry> topologies() {
    static constexpr std::array table{
        TopologyEntry{"torus", make_torus, "dimension_order",
                      "grid of any dimension with wrap-around"},
        TopologyEntry{"fat_tree", make_fat_tree, "d_mod_k", "k-ary n-tree"},
        TopologyEntry{"xgft", make_xgft, "d_mod_k", "extended generalised fat-tree"},
        TopologyEntry{"dragonfly", make_dragonfly, "minimal",
                      "groups with all-to-all rows and columns"},
        TopologyEntry{"dragonfly_canonical", make_dragonfly_canonical, "minimal",
                      "groups of all-to-all routers"},
        TopologyEntry{"hyperx", make_hyperx, "dimension_order", "grid with all-to-all rows"},
        TopologyEntry{"star", make_star, "minimal", "one switch"},
    };
    return table;
}

const TopologyEntry& topology_entry(const std::string& name) {
    const auto found = std::ranges::find(topologies(), name, &TopologyEntry::name);
    if (found != topologies().end()) return *found;
    std::string names;
    for (const auto& entry : topologies()) names += text(names.empty() ? "" : ", ", entry.name);
    throw TopologyError(text("topology \"", name, "\" is not one of ", names));
}

std::unique_ptr<Topology> make_topology(const std::string& name, const Settings& settings) {
    return topology_entry(name).make(settings);
}

}  // namespace tradewind::sim

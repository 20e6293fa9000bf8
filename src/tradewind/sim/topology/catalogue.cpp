/// The table of all topologies.
#include "tradewind/sim/topology/catalogue.hpp"

#include <algorithm>

namespace tradewind::sim {

#define TOPOLOGY(entry) extern const TopologyEntry entry;
#include "tradewind/sim/topology/topologies.def"
#undef TOPOLOGY

namespace {

#define TOPOLOGY(entry) &entry,
constexpr const TopologyEntry* table[] = {
#include "tradewind/sim/topology/topologies.def"
};
#undef TOPOLOGY

}  // namespace

std::span<const TopologyEntry* const> topologies() {
    return table;
}

const TopologyEntry& topology_entry(std::string_view name) {
    std::string names;
    for (const TopologyEntry* const entry : table) {
        if (entry->name == name) return *entry;
        names += text(names.empty() ? "" : ", ", entry->name);
    }
    throw TopologyError(text("topology \"", name, "\" is not one of ", names));
}

std::unique_ptr<Topology> make_topology(std::string_view name, const Settings& settings) {
    const TopologyEntry& entry = topology_entry(name);
    refuse_unknown(name, settings, {entry.settings});
    return entry.make(settings);
}

}  // namespace tradewind::sim

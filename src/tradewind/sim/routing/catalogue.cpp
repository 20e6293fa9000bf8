/// The table of all routing rules.
#include "tradewind/sim/routing/catalogue.hpp"

#include <algorithm>

namespace tradewind::sim {

#define ROUTING(entry) extern const RoutingEntry entry;
#include "tradewind/sim/routing/routings.def"
#undef ROUTING

namespace {

#define ROUTING(entry) &entry,
constexpr const RoutingEntry* table[] = {
#include "tradewind/sim/routing/routings.def"
};
#undef ROUTING

std::string fitting_rules(const Topology& topology) {
    std::string names;
    for (const RoutingEntry* const entry : table) {
        if (!entry->make(topology, Settings{})) continue;
        names += text(names.empty() ? "" : ", ", entry->name);
    }
    return names;
}

/// Returns the topologies that a rule fits, in words.
std::string fitted(const RoutingEntry& entry) {
    if (entry.topologies.empty()) return "all";
    std::string names;
    for (const std::string_view name : entry.topologies)
        names += text(names.empty() ? "" : ", ", name);
    return entry.condition.empty() ? names : text(names, " ", entry.condition);
}

}  // namespace

bool RoutingEntry::fits(std::string_view topology) const {
    return topologies.empty() || std::ranges::find(topologies, topology) != topologies.end();
}

std::span<const RoutingEntry* const> routings() {
    return table;
}

std::vector<std::string_view> routings_of(std::string_view topology,
                                          std::string_view default_routing) {
    std::vector<std::string_view> names{default_routing};
    for (const RoutingEntry* const entry : table) {
        if (entry->name != default_routing && entry->fits(topology)) names.push_back(entry->name);
    }
    return names;
}

std::unique_ptr<Routing> make_routing(std::string_view name, const Topology& topology,
                                      const Settings& settings) {
    const auto* const found = std::ranges::find(table, name, &RoutingEntry::name);
    if (found == std::end(table)) {
        throw ConfigError(text("routing \"", name, "\" is not one of ", fitting_rules(topology),
                               ", which fit this topology"));
    }
    const RoutingEntry& entry = **found;
    refuse_unknown(text("routing ", name), settings, {entry.settings});
    auto rule = entry.make(topology, settings);
    if (rule) return rule;
    throw ConfigError(text("routing \"", name, "\" fits ", fitted(entry),
                           "; for this topology there are ", fitting_rules(topology)));
}

}  // namespace tradewind::sim

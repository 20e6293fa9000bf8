/// The rules `minimal` and `dimension_order`, which are another one for each family of topologies.
#include "tradewind/sim/routing/catalogue.hpp"
#include "tradewind/sim/routing/rules.hpp"

namespace tradewind::sim {

namespace {

#define MINIMAL(make) &make,
constexpr RoutingMaker* minimal_rules[] = {
#include "tradewind/sim/routing/routings.def"
};
#undef MINIMAL

#define DIMENSION_ORDER(make) &make,
constexpr RoutingMaker* dimension_order_rules[] = {
#include "tradewind/sim/routing/routings.def"
};
#undef DIMENSION_ORDER

/// Returns the first of some rules that fits, or null.
std::unique_ptr<Routing> first_fitting(std::span<RoutingMaker* const> rules,
                                       const Topology& topology, const Settings& settings) {
    for (RoutingMaker* const make : rules) {
        if (auto rule = make(topology, settings)) return rule;
    }
    return nullptr;
}

std::unique_ptr<Routing> make_dimension_order(const Topology& topology, const Settings& settings) {
    return first_fitting(dimension_order_rules, topology, settings);
}

}  // namespace

std::unique_ptr<Routing> make_minimal(const Topology& topology, const Settings& settings) {
    return first_fitting(minimal_rules, topology, settings);
}

extern const RoutingEntry minimal_entry;
constinit const RoutingEntry minimal_entry = {
    "minimal", "the shortest route, the same for all packets of a pair", {}, make_minimal};
extern const RoutingEntry dimension_order_entry;
constinit const RoutingEntry dimension_order_entry = {
    "dimension_order", "one dimension after the other", {}, make_dimension_order, families::grids,
    "with wiring full"};

}  // namespace tradewind::sim

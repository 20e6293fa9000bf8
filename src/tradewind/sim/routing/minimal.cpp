/// `minimal` and `dimension_order`: the deterministic shortest-route rule of each family of topologies.
#include "tradewind/sim/routing/rules.hpp"

namespace tradewind::sim {

std::unique_ptr<Routing> make_minimal(const Topology& topology, const Settings& settings) {
    for (const auto make : {&make_torus_dimension_order, &make_hyperx_dimension_order,
                            &make_dragonfly_minimal, &make_dragonfly_canonical_minimal, &make_d_mod_k}) {
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

}  // namespace tradewind::sim

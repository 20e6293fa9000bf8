/// The makers of all routing rules; each returns null where its rule does not fit the topology.
#pragma once

#include <memory>

#include "tradewind/base/random.hpp"
#include "tradewind/base/settings.hpp"
#include "tradewind/sim/routing/routing.hpp"
#include "tradewind/sim/topology/topology.hpp"

namespace tradewind::sim {

using RoutingMaker = std::unique_ptr<Routing>(const Topology&, const Settings&);

RoutingMaker make_minimal;
RoutingMaker make_dimension_order;
RoutingMaker make_d_mod_k;
RoutingMaker make_adaptive_up;
RoutingMaker make_random_up;
RoutingMaker make_valiant;
RoutingMaker make_ugal;
RoutingMaker make_ugal_sstmacro;

/// The pieces of which `minimal` and `dimension_order` are made, one per family of topologies.
RoutingMaker make_torus_dimension_order;
RoutingMaker make_hyperx_dimension_order;
RoutingMaker make_dragonfly_dimension_order;
RoutingMaker make_dragonfly_minimal;
RoutingMaker make_dragonfly_canonical_minimal;

/// Returns 32 bits that are the same for all packets between two nodes, so that they stay in order.
[[nodiscard]] inline std::uint32_t pair_hash(SwitchId source, NodeId destination) noexcept {
    return static_cast<std::uint32_t>(
        mix(static_cast<std::uint64_t>(source) << 32U | static_cast<std::uint32_t>(destination)) >>
        32U);
}

}  // namespace tradewind::sim

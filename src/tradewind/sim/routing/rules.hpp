/// The makers of rules that other rules use; each returns null where it does not fit the topology.
#pragma once

#include <memory>

#include "tradewind/base/random.hpp"
#include "tradewind/base/settings.hpp"
#include "tradewind/sim/routing/routing.hpp"
#include "tradewind/sim/topology/topology.hpp"

namespace tradewind::sim {

using RoutingMaker = std::unique_ptr<Routing>(const Topology&, const Settings&);

/// Makes the rule `minimal` of the family of the topology.
RoutingMaker make_minimal;

/// The rules of which `minimal` and `dimension_order` are made: the table names them.
#define MINIMAL(make) RoutingMaker make;
#include "tradewind/sim/routing/routings.def"
#undef MINIMAL
RoutingMaker make_dragonfly_dimension_order;

/// Returns 32 bits that are the same for all packets between two nodes, so that they stay in order.
[[nodiscard]] inline std::uint32_t pair_hash(SwitchId source, NodeId destination) noexcept {
    return static_cast<std::uint32_t>(
        mix(static_cast<std::uint64_t>(source) << 32U | static_cast<std::uint32_t>(destination)) >>
        32U);
}

}  // namespace tradewind::sim

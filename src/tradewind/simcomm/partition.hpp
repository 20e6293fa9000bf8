/// Partition: the division of locations among processes, so that all have about the same work.
#pragma once

#include <vector>

#include "tradewind/sim/kernel/worker.hpp"
#include "tradewind/sim/routing/routing.hpp"
#include "tradewind/simcomm/placement.hpp"

namespace tradewind::simcomm {

/// Returns the bounds of `processes` contiguous ranges of switches with about equal traffic between
/// the placed ranks, estimated from the routes of some random pairs. Results never depend on the
/// bounds, only speed does.
[[nodiscard]] std::vector<sim::Location> balanced_bounds(const sim::Topology& topology,
                                                         const sim::Routing& routing,
                                                         const Placement& placement,
                                                         std::int32_t nics_per_node, int processes);

}  // namespace tradewind::simcomm

/// Tiles: a process grid laid on the machine, so that neighbours of the grid are neighbours there.
#pragma once

#include <cstdint>
#include <vector>

#include "tradewind/comm/process_grid.hpp"
#include "tradewind/sim/topology/topology.hpp"

namespace tradewind::simcomm {

/// Returns the node of every rank of the process grid. Each part of the machine gets a rectangle of
/// ranks:
///
///     ranks of 12 x 4    a a a a b b b b c c c c      4 ranks per node: 2 x 2 (a a, a a)
///                        a a a a b b b b c c c c      4 nodes per switch (a): 4 x 4
///                        a a a a b b b b c c c c      rows of 3 switches: 12 x 4
///                        a a a a b b b b c c c c
///
/// A row of switches, in a torus, a HyperX or a group of a dragonfly, takes rectangles side by
/// side, the rows of a plane take them one above the other; other parts (the nodes of a switch,
/// groups, subtrees) get the rectangle of their number of parts that makes the whole squarest.
/// Parts at the edges of the process grid may stay partly empty. If the machine is too small for
/// that, the rectangles are filled without gaps, in the same order.
///
/// Throws ConfigError unless there is a node for every rank.
[[nodiscard]] std::vector<std::int64_t> place_tiles(const ProcessGrid& grid,
                                                    std::int32_t ranks_per_node,
                                                    const sim::Topology& topology);

}  // namespace tradewind::simcomm

/// Survey of a topology: its links, the distances between its switches, and its bisection.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tradewind/sim/topology/topology.hpp"

namespace tradewind::sim {

/// The links of one class that are drawn in one panel. A link is counted once in each direction.
struct LinkCount {
    std::int32_t link_class = 0;
    /// The name of the panel; empty where the links of the class are not told apart.
    std::string panel;
    std::int64_t links = 0;
};

/// Counts the wired links by class. Those of a topology with at most `most_ports` ports are also
/// told apart by panel: dimension x and y, up and down.
[[nodiscard]] std::vector<LinkCount> count_links(const Topology& topology, std::int64_t most_ports);

/// The distances from some switches with nodes to all of them, themselves included.
struct DistanceCounts {
    std::int64_t sources = 0;
    /// The pairs of switches at distance 0, 1, 2 ...
    std::vector<std::int64_t> pairs;
};

/// Returns for each distance from the first node another node at that distance, -1 if there is
/// none.
[[nodiscard]] std::vector<NodeId> nodes_by_distance(const Topology& topology);

/// Counts the distances from all switches with nodes, or from as many evenly spaced ones as make
/// about `most_pairs` pairs.
[[nodiscard]] DistanceCounts count_distances(const Topology& topology, std::int64_t most_pairs);

/// A cut of the machine into two halves with equally many nodes, up to one.
struct Bisection {
    /// The bytes per second that pass in the direction with less of them.
    double bytes_per_second = 0.0;
    /// The links between switches that cross, in that direction.
    std::int64_t links = 0;
    /// The nodes that are cut off from their switch, which has nodes in both halves.
    std::int64_t nodes = 0;
};

/// Returns the narrowest of these cuts: across the middle of each level of the numbering of
/// switches, rows or planes or groups or subtrees. Switches without nodes are in the half to which
/// the more of their bandwidth leads. `link_rates` has bytes per second for each link class,
/// `node_rate` is that of a node.
[[nodiscard]] Bisection bisect(const Topology& topology, std::span<const double> link_rates,
                               double node_rate);

}  // namespace tradewind::sim

/// Bounds from sampled routes.
#include "tradewind/simcomm/partition.hpp"

#include <algorithm>
#include <numeric>

#include "tradewind/base/random.hpp"

namespace tradewind::simcomm {

namespace {

/// Adds one for each switch on the route between two nodes.
void count_route(const sim::Topology& topology, const sim::Routing& routing, sim::NodeId from,
                 sim::NodeId to, std::uint64_t random, std::vector<double>& visits) {
    const sim::SwitchId source = from / topology.nodes_per_switch();
    visits[std::size_t(source)] += 1.0;
    sim::follow_route(topology, routing, source, to, random,
                      [&](sim::SwitchId, sim::PortId, const sim::Link& link) {
                          visits[std::size_t(link.to)] += 1.0;
                      });
}

}  // namespace

std::vector<sim::Location> balanced_bounds(const sim::Topology& topology,
                                           const sim::Routing& routing, const Placement& placement,
                                           std::int32_t nics_per_node, int processes) {
    constexpr std::uint64_t samples = 50'000;
    const auto switches = std::size_t(topology.switches());
    std::vector<double> visits(switches, 0.01);
    const auto ranks = std::uint32_t(placement.ranks());
    for (std::uint64_t i = 0; i < samples && processes > 1; ++i) {
        const auto node = [&](std::uint64_t key) {
            return sim::NodeId(placement.nic(below(mix(i, key), ranks))) / nics_per_node;
        };
        count_route(topology, routing, node(1), node(2), mix(i, 3), visits);
    }
    const double total = std::accumulate(visits.begin(), visits.end(), 0.0);
    std::vector<sim::Location> bounds{0};
    double sum = 0.0;
    for (std::size_t s = 0; s < switches && int(bounds.size()) < processes; ++s) {
        sum += visits[s];
        if (sum >= total * double(bounds.size()) / processes)
            bounds.push_back(sim::Location(s + 1));
    }
    bounds.resize(std::size_t(processes), sim::Location(switches));
    bounds.push_back(sim::Location(switches));
    return bounds;
}

}  // namespace tradewind::simcomm

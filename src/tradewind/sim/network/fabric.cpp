/// Checks and numbers of a Fabric.
#include "tradewind/sim/network/fabric.hpp"

#include <algorithm>

#include "tradewind/base/errors.hpp"

namespace tradewind::sim {

Picoseconds lookahead(const NetworkParameters& parameters) {
    Picoseconds shortest = parameters.links.front().latency;
    for (const LinkSpeed& link : parameters.links) shortest = std::min(shortest, link.latency);
    if (shortest < 1)
        throw ConfigError("link latency = 0: a packet simulation needs at least 1 ps");
    return shortest;
}

Bytes buffer_limit(Bytes bytes, Bytes packet_size) {
    return std::clamp<Bytes>(bytes - packet_size + 1, 1, 1 << 30);
}

Fabric::Fabric(NetworkSetup setup)
    : topology(*setup.topology),
      routing(*setup.routing),
      parameters(std::move(setup.parameters)),
      observe(setup.observe),
      schedule(std::move(setup.schedule)),
      begin(schedule.begin_location()),
      end(schedule.end_location()),
      layout(topology, parameters.nics_per_node),
      routes_are_fixed(!routing.is_adaptive() && routing.keeps_order()),
      hops_are_fixed(routing.is_oblivious_in_transit()),
      memory(parameters, topology.nodes()),
      messages(make_message_pool(schedule)),
      journeys(setup.journeys) {
    if (layout.ports_per_switch() > 0xffff) {
        throw TopologyError(
            text("a switch has ", layout.ports_per_switch(), " ports; at most 65535 are possible"));
    }
    const std::size_t nics = layout.nic_index(Location(topology.terminal_switches()), 0);
    if (nics > INT32_MAX) throw TopologyError(text(nics, " network interfaces; at most 2^31 - 1"));
}

std::size_t Fabric::own_nics() const noexcept {
    const auto terminals = Location(topology.terminal_switches());
    return layout.nic_index(std::min(end, terminals) - std::min(begin, terminals), 0);
}

}  // namespace tradewind::sim

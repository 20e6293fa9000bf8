/// Wiring of ports.
#include "tradewind/sim/network/switching/ports.hpp"

namespace tradewind::sim {

Ports::Ports(const Topology& topology, const SwitchLayout& layout)
    : topology_(topology),
      layout_(layout),
      ports_(layout.port_index(Location(topology.switches()), 0)) {
    if (!topology.is_two_way()) find_upstream();
}

void Ports::wire(Location here, std::uint32_t number, Port& port) const {
    port.is_wired = true;
    if (!layout_.joins_switches(number)) return;
    const Link link = topology_.neighbour(SwitchId(here), PortId(number));
    if (link.to == no_switch) return;
    port.peer = std::uint32_t(link.to);
    port.peer_port = std::uint16_t(link.port);
    port.link_class = std::uint8_t(link.link_class) & 15U;
}

void Ports::find_upstream() {
    const auto switches = std::size_t(topology_.switches());
    const std::uint32_t radix = layout_.radix();
    upstream_.resize(switches * radix);
    for (std::size_t here = 0; here < switches; ++here) {
        for (std::uint32_t number = 0; number < radix; ++number) {
            const Link link = topology_.neighbour(SwitchId(here), PortId(number));
            if (link.to == no_switch) continue;
            upstream_[std::size_t(link.to) * radix + std::size_t(link.port)] = {
                std::uint32_t(here), std::uint16_t(number)};
        }
    }
}

}  // namespace tradewind::sim

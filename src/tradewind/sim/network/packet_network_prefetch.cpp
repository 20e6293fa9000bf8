/// What PacketNetwork fetches ahead of its handlers: on a million-node network memory latency would
/// be most of the cost.
#include "tradewind/base/fetch_ahead.hpp"
#include "tradewind/sim/network/packet_network.hpp"
#include "tradewind/sim/network/switch_occupancy.hpp"

namespace tradewind::sim {

std::uint32_t PacketNetwork::foresee(const Event& event) noexcept {
    switch (Kind(event.kind)) {
        case Kind::packet:
            return foresee_packet(event);
        case Kind::credit:
        case Kind::port_ready:
            fetch_ahead(&port(event.location, event.port));
            break;
        case Kind::inject:
        case Kind::enqueue:
        case Kind::nic_credit:
            fetch_ahead(&nics_[std::size_t(event.location) * nics_per_switch_ + event.port]);
            if (Kind(event.kind) == Kind::enqueue) fetch_ahead(&messages_[event.message]);
            break;
        case Kind::arrive:
        case Kind::client:
            break;
    }
    return nothing_foreseen;
}

std::uint32_t PacketNetwork::foresee_packet(const Event& event) noexcept {
    if (bounded_) fetch_ahead(&port(event.location, event.port));
    const Location here = event.location;
    Flight flight{SwitchId(location_of(event.target)), event.note, channel_of(event)};
    if (flight.target == SwitchId(here)) {
        const Output output(radix_ + event.target - here * nics_per_switch_, 0);
        fetch_ahead(&port(here, output.port()));
        if (foreseeable_ && (event.channel & last_packet) == 0) return output.word();
        const Message& message = messages_[event.message];
        fetch_ahead(&message);
        fetch_ahead(&message.source_rank);
        return (foreseeable_ ? output.word() : 0) | delivers;
    }
    if (!foreseeable_) return nothing_foreseen;
    const PortId in_port = event.port < radix_ ? PortId(event.port) : -1;
    const Hop hop = routing_.next(flight, SwitchId(here), in_port, SwitchOccupancy(*this, here, 0));
    const Output output(std::uint32_t(hop.port), hop.channel);
    fetch_ahead(&port(here, output.port()));
    return flight.note == event.note ? output.word() : nothing_foreseen;
}

void PacketNetwork::prefetch_injection(const Event& event, int stage) noexcept {
    const std::size_t nic = std::size_t(event.location) * nics_per_switch_ + event.port;
    const MessageId id = Kind(event.kind) == Kind::enqueue ? event.message : nics_[nic].head;
    if (id == no_message) return;
    const Message& message = messages_[id];
    if (stage == 1) {
        fetch_ahead(&message);
        fetch_ahead(&nic_totals_[nic]);
        return;
    }
    if (!foreseeable_) return;
    const Location here = event.location;
    Flight flight{SwitchId(location_of(message.destination_nic)), 0, 0};
    if (flight.target == SwitchId(here)) {
        fetch_ahead(&port(here, radix_ + message.destination_nic - here * nics_per_switch_));
        return;
    }
    const Hop hop = routing_.next(flight, SwitchId(here), -1, SwitchOccupancy(*this, here, 0));
    fetch_ahead(&port(here, std::uint32_t(hop.port)));
}

}  // namespace tradewind::sim

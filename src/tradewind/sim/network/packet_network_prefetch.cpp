/// What PacketNetwork fetches ahead of its handlers: on a million-node network memory latency is
/// most of the cost.
#include "tradewind/sim/network/packet_network.hpp"
#include "tradewind/sim/network/switch_occupancy.hpp"

namespace tradewind::sim {

/// Three rounds, since what to fetch in one is read from what the round before has fetched.
void PacketNetwork::prefetch(const Event& event, int stage) noexcept {
    const Kind kind = Kind(event.kind);
    if (kind == Kind::packet) {
        prefetch_packet(event, stage);
    } else if (kind == Kind::enqueue || kind == Kind::inject) {
        prefetch_injection(event, stage);
    } else if (stage == 0 && (kind == Kind::credit || kind == Kind::port_ready)) {
        __builtin_prefetch(&port(event.location, event.port));
    }
}

void PacketNetwork::prefetch_packet(const Event& event, int stage) noexcept {
    if (event.target != event.location) {
        if (stage > 0) return;
        if (bounded_) __builtin_prefetch(&port(event.location, event.port));
        prefetch_output({SwitchId(event.target), event.note, channel_of(event)}, event.location,
                        event.port < radix_ ? PortId(event.port) : -1);
        return;
    }
    const Message& message = messages_[event.message];
    if (stage == 0) {
        __builtin_prefetch(&message);
        __builtin_prefetch(&message.source_rank);
        if (bounded_) __builtin_prefetch(&port(event.location, event.port));
        return;
    }
    if (stage == 1) {
        const std::uint32_t local_nic = message.destination_nic - event.location * nics_per_switch_;
        if (local_nic < nics_per_switch_)
            __builtin_prefetch(&port(event.location, radix_ + local_nic));
    }
    client_->prefetch(event.message, stage);
}

void PacketNetwork::prefetch_injection(const Event& event, int stage) noexcept {
    const Nic& nic = nics_[std::size_t(event.location) * nics_per_switch_ + event.port];
    if (stage == 0) {
        __builtin_prefetch(&nic);
        __builtin_prefetch(reinterpret_cast<const std::byte*>(&nic) + 64);
        if (Kind(event.kind) == Kind::enqueue) __builtin_prefetch(&messages_[event.message]);
        return;
    }
    const MessageId id = Kind(event.kind) == Kind::enqueue ? event.message : nic.head;
    if (id == no_message) return;
    const Message& message = messages_[id];
    if (stage == 1) {
        __builtin_prefetch(&message);
        return;
    }
    prefetch_output({SwitchId(location_of(message.destination_nic)), 0, 0}, event.location, -1);
}

/// Asks for the port that a packet will take, where that can be foreseen.
void PacketNetwork::prefetch_output(Flight flight, Location here, PortId in_port) noexcept {
    if (!foreseeable_ || routing_.arrived(flight, SwitchId(here))) return;
    const Hop hop = routing_.next(flight, SwitchId(here), in_port, SwitchOccupancy(*this, here, 0));
    __builtin_prefetch(&port(here, std::uint32_t(hop.port)));
}

}  // namespace tradewind::sim

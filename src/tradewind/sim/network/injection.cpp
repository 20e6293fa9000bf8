/// Queues of network interfaces, and the packets that they send.
#include "tradewind/sim/network/injection.hpp"

#include <algorithm>
#include <cstdlib>

namespace tradewind::sim {

Injection::Injection(Fabric& fabric, const Ports& ports)
    : fabric_(fabric),
      ports_(ports),
      layout_(fabric.layout),
      latency_(fabric.parameters.injection.latency),
      short_train_(fabric.routes_are_fixed && fabric.parameters.short_train > 0
                       ? std::uint32_t(fabric.parameters.short_train)
                       : UINT32_MAX),
      first_train_(fabric.parameters.first_train > 0 ? std::uint32_t(fabric.parameters.first_train)
                                                     : UINT32_MAX),
      train_rate_(sustained_rate(fabric.parameters, fabric.parameters.injection,
                                 fabric.parameters.nic_buffer)),
      is_limited_(fabric.parameters.switch_buffer > 0 && fabric.parameters.nic_buffer > 0),
      holds_train_room_(fabric.parameters.holds_train_room),
      limit_(buffer_limit(fabric.parameters.nic_buffer, fabric.parameters.packet_size)),
      nics_(fabric.layout.nic_index(Location(fabric.topology.terminal_switches()), 0)),
      loads_(nics_.size()) {}

void Injection::submit(Worker& worker, MessageId id, Picoseconds time) {
    Message& message = fabric_.messages[id];
    message.start = time;
    const Location here = layout_.location_of(message.source_nic);
    const std::uint32_t nic = message.source_nic - here * layout_.nics_per_switch();
    worker.schedule(enqueue_event(id, message, time + latency_, here, nic));
}

bool Injection::enqueue(Worker& worker, const Event& event) {
    MessagePool& messages = fabric_.messages;
    const NetworkParameters& parameters = fabric_.parameters;
    Nic& nic = nics_[index({event.location, event.port})];
    const bool is_urgent = (messages[event.message].flags & urgent_message) != 0;
    if (is_urgent && parameters.trains_per_message > 0) {
        const Picoseconds one = parameters.injection.rate.time(parameters.packet_size);
        const Picoseconds left = nic.free_at - worker.now();
        Event turn = inject_event({event.location, event.port}, nic.free_at - left / one * one);
        turn.channel = interruption;
        if (left > one) worker.schedule(turn);
    }
    if (is_urgent && nic.head != no_message) {
        messages[event.message].next = nic.head;
        nic.head = event.message;
        return false;
    }
    if (nic.head == no_message) {
        nic.head = event.message;
    } else {
        messages[nic.tail].next = event.message;
    }
    nic.tail = event.message;
    return !nic.busy && !nic.blocked;
}

std::optional<Arrival> Injection::interrupting_packet(Worker& worker, PortAddress at) {
    Nic& nic = nics_[index(at)];
    const Picoseconds end = nic.free_at;
    if (nic.head == no_message || end <= worker.now()) return std::nullopt;
    const Message& message = fabric_.messages[nic.head];
    if ((message.flags & urgent_message) == 0 || message.unsent > fabric_.parameters.packet_size)
        return std::nullopt;
    Arrival arrival = take_packet(worker, at, nic);
    // A shared memory has been promised to the whole train, and has room between its packets, too.
    const Picoseconds time = fabric_.parameters.injection.rate.time(arrival.packet.bytes());
    arrival.tail = worker.now() + time;
    nic.free_at = end + time;
    return arrival;
}

void Injection::schedule_next(Worker& worker, PortAddress at) {
    Nic& nic = nics_[index(at)];
    if (nic.head == no_message) return;
    schedule_turn(worker, nic, at, is_limited_ ? nic.next_turn(limit_) : nic.free_at);
}

void Injection::finish_message(Worker& worker, Nic& nic, Picoseconds tail) {
    const NetworkParameters& parameters = fabric_.parameters;
    const MessageId id = nic.head;
    const Message& message = fabric_.messages[id];
    nic.head = message.next;
    if (nic.head != no_message) fetch_ahead(&fabric_.messages[nic.head]);
    nic.free_at = std::max(nic.free_at, message.start + latency_ + parameters.message_gap);
    if ((message.flags & notify_injected) != 0)
        fabric_.client->injected(worker, id, tail - latency_);
}

/// Records a packet that may be the last of its message to arrive; `before` bytes of it have left.
void Injection::note_injection(const Packet& packet, Bytes before) const {
    if (fabric_.routes_are_fixed && !packet.is_last()) return;
    const Picoseconds start = fabric_.messages[packet.message()].start + latency_;
    fabric_.journeys->injected(packet, start, fabric_.parameters.injection.rate.time(before));
}

/// Puts the first message of an interface behind the others of those that it sends in turn.
void Injection::rotate(Nic& nic) noexcept {
    MessagePool& messages = fabric_.messages;
    const MessageId first = nic.head;
    MessageId last = first;
    for (std::int32_t i = 1; i < fabric_.parameters.messages_in_turn && last != nic.tail; ++i)
        last = messages[last].next;
    if (last == first) return;
    nic.head = messages[first].next;
    messages[first].next = messages[last].next;
    messages[last].next = first;
    if (nic.tail == last) nic.tail = first;
}

/// Sends an event for buffer space that will be free at `time`.
void Injection::send_credit(Worker& worker, PortAddress at, std::uint32_t bytes,
                            std::uint8_t channel, Picoseconds time) const {
    Event credit;
    credit.kind = std::uint8_t(EventKind::nic_credit);
    credit.time = time;
    credit.location = at.location;
    credit.port = at.port;
    credit.bytes = bytes;
    credit.channel = channel;
    worker.schedule(credit);
}

bool Injection::take_credit(const Event& event) noexcept {
    Nic& nic = nics_[index({event.location, event.port})];
    nic.used -= std::int32_t(event.bytes);
    if (!nic.blocked || nic.used >= limit_) return false;
    nic.blocked = false;
    return true;
}

std::optional<std::uint16_t> Injection::prefetch(const Event& event, int stage) const noexcept {
    const std::size_t nic = index({event.location, event.port});
    const EventKind kind = EventKind(event.kind);
    const MessageId id = kind == EventKind::enqueue ? event.message : nics_[nic].head;
    const bool is_idle = kind == EventKind::nic_credit && !nics_[nic].blocked;
    if (id == no_message || is_idle) return std::nullopt;
    const Message& message = fabric_.messages[id];
    if (stage == 1) {
        fetch_ahead(&message);
        fetch_ahead(&loads_[nic]);
        return std::nullopt;
    }
    if (fabric_.routing.is_adaptive()) return std::nullopt;
    const Flight flight =
        launch(nic, nics_[nic].packets, event.location, message.destination_nic, 0);
    return first_port(message, event.location, flight);
}

/// Returns the output port that a packet of a message takes first after these choices at the
/// source, if that does not depend on the load.
std::uint16_t Injection::first_port(const Message& message, Location here,
                                    Flight flight) const noexcept {
    if (flight.target == SwitchId(here))
        return std::uint16_t(layout_.port_of(here, message.destination_nic));
    const SwitchOccupancy occupancy(ports_.of_switch(here), fabric_.parameters, 0);
    return std::uint16_t(fabric_.routing.next(flight, SwitchId(here), -1, occupancy).port);
}

Bytes Injection::held_bytes() const noexcept {
    Bytes sum = 0;
    for (std::size_t i = 0; i < nics_.size(); ++i) {
        Bytes used = nics_[i].used;
        for (std::uint8_t k = 0; k < nics_[i].releases; ++k) used -= nics_[i].release_bytes[k];
        sum += std::abs(used);
    }
    return sum;
}

std::int64_t Injection::packets() const noexcept {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < nics_.size(); ++i) sum += nics_[i].packets;
    return sum;
}

}  // namespace tradewind::sim

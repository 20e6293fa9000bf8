/// Queues of network interfaces, and the packets that they send.
#include "tradewind/sim/network/injection.hpp"

#include <algorithm>
#include <cstdlib>

#include "tradewind/base/fetch_ahead.hpp"
#include "tradewind/base/random.hpp"
#include "tradewind/sim/network/switching/switch_occupancy.hpp"

namespace tradewind::sim {

Injection::Injection(Fabric& fabric, const Ports& ports)
    : fabric_(fabric),
      ports_(ports),
      train_rate_(sustained_rate(fabric.parameters, fabric.parameters.injection,
                                 fabric.parameters.nic_buffer)),
      limit_(buffer_limit(fabric.parameters.nic_buffer, fabric.parameters.packet_size)),
      nics_(fabric.layout.nic_index(Location(fabric.topology.terminal_switches()), 0)),
      loads_(nics_.size()),
      counts_(fabric.schedule.workers()) {}

void Injection::submit(Worker& worker, MessageId id, Picoseconds time) {
    const SwitchLayout& layout = fabric_.layout;
    Message& message = fabric_.messages[id];
    message.start = time;
    Event event = enqueue_event(id, message, layout.location_of(message.source_nic));
    event.time = time + fabric_.parameters.injection.latency;
    event.port = std::uint16_t(message.source_nic - event.location * layout.nics_per_switch());
    worker.schedule(event);
}

bool Injection::enqueue(const Event& event) noexcept {
    MessagePool& messages = fabric_.messages;
    Nic& nic = nics_[index({event.location, event.port})];
    if (nic.head != no_message && (messages[event.message].flags & urgent_message) != 0) {
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

std::optional<Arrival> Injection::next_packet(Worker& worker, PortAddress at) {
    const std::size_t number = index(at);
    Nic& nic = nics_[number];
    nic.busy = false;
    if (!may_send(worker, nic, at)) return std::nullopt;
    const Picoseconds now = worker.now();
    Message& message = fabric_.messages[nic.head];
    if (message.unsent == message.bytes) begin_message(worker, nic, number);
    const auto bytes = std::uint32_t(std::min<Bytes>(message.unsent, message.packet_size));
    message.unsent -= bytes;
    nic.used += std::int32_t(bytes);
    nic.free_at = send_time(number, now, bytes);

    const PortAddress input{at.location, std::uint16_t(fabric_.layout.radix() + at.port)};
    Arrival arrival{Packet::injected(input, now, nic.head, bytes, message.destination_nic),
                    nic.free_at};
    launch(arrival.packet, number, nic.packets++, now);
    ++counts_[worker].packets;
    if (message.unsent == 0) {
        if (fabric_.routes_are_fixed) arrival.packet.mark_last();
        finish_message(worker, nic, arrival.tail);
    } else if (fabric_.parameters.messages_in_turn > 1) {
        rotate(nic);
    }
    return arrival;
}

void Injection::schedule_next(Worker& worker, PortAddress at) {
    Nic& nic = nics_[index(at)];
    if (nic.head == no_message) return;
    schedule(worker, nic, at, has_limit() ? nic.next_turn(limit_) : nic.free_at);
}

/// Returns true if the interface may send a packet now; else arranges for a later attempt.
bool Injection::may_send(Worker& worker, Nic& nic, const PortAddress& at) {
    if (nic.free_at > worker.now()) {
        schedule(worker, nic, at, nic.free_at);
        return false;
    }
    if (!has_limit()) return true;
    nic.absorb(worker.now());
    if (nic.used < limit_) return true;
    if (nic.releases > 0) {
        schedule(worker, nic, at, nic.earliest_release());
    } else {
        nic.blocked = true;
    }
    return false;
}

void Injection::schedule(Worker& worker, Nic& nic, const PortAddress& at, Picoseconds time) const {
    nic.busy = true;
    Event event;
    event.kind = std::uint8_t(Kind::inject);
    event.time = time;
    event.location = at.location;
    event.port = at.port;
    worker.schedule(event);
}

void Injection::begin_message(Worker& worker, const Nic& nic, std::size_t number) {
    Message& message = fabric_.messages[nic.head];
    const Picoseconds start = worker.now() - fabric_.parameters.injection.latency;
    loads_[number].add(message.bytes, start - message.start);
    message.start = start;
    if (fabric_.is_elsewhere(fabric_.layout.location_of(message.destination_nic)))
        fabric_.client->departs(worker, nic.head);
}

/// Returns when the last byte of a packet that starts `now` has left its interface.
Picoseconds Injection::send_time(std::size_t number, Picoseconds now, Bytes bytes) {
    const TransferRate rate =
        fabric_.is_train(bytes) ? train_rate_ : fabric_.parameters.injection.rate;
    const Picoseconds tail = now + rate.time(bytes);
    if (!fabric_.memory.is_shared()) return tail;
    return std::max(tail, fabric_.memory.use(std::uint32_t(number), now, bytes));
}

/// Lets the routing rule choose what must be chosen at the source; `number` counts the packets of
/// the interface.
void Injection::launch(Packet& packet, std::size_t nic, std::uint32_t number,
                       Picoseconds now) const {
    const std::uint32_t destination = packet.destination_nic();
    const Location here = packet.location();
    const std::uint64_t random =
        fabric_.routes_are_fixed ? 0 : mix(fabric_.parameters.seed + nic, number);
    Flight flight{fabric_.switch_of(destination), 0, 0};
    fabric_.routing.launch(flight, SwitchId(here), fabric_.node_of(destination), random,
                           SwitchOccupancy(ports_.of_switch(here), fabric_.parameters, now));
    packet.launch(flight);
}

void Injection::finish_message(Worker& worker, Nic& nic, Picoseconds tail) {
    const NetworkParameters& parameters = fabric_.parameters;
    const MessageId id = nic.head;
    const Message& message = fabric_.messages[id];
    nic.head = message.next;
    if (nic.head != no_message) fetch_ahead(&fabric_.messages[nic.head]);
    nic.free_at = std::max(nic.free_at,
                           message.start + parameters.injection.latency + parameters.message_gap);
    if ((message.flags & notify_injected) != 0)
        fabric_.client->injected(worker, id, tail - parameters.injection.latency);
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

void Injection::release(Worker& worker, const Packet& packet, Picoseconds time) {
    if (fabric_.parameters.nic_buffer == 0) return;
    const PortAddress at{packet.location(),
                         std::uint16_t(packet.input_port() - fabric_.layout.radix())};
    const Picoseconds known = time + 2 * fabric_.parameters.injection.latency;
    Nic& nic = nics_[index(at)];
    if (nic.can_release()) {
        nic.release(known, packet.bytes());
        return;
    }
    Event credit;
    credit.kind = std::uint8_t(Kind::nic_credit);
    credit.time = known;
    credit.location = at.location;
    credit.port = at.port;
    credit.bytes = packet.bytes();
    credit.channel = packet.channel();
    worker.schedule(credit);
}

bool Injection::take_credit(const Event& event) noexcept {
    Nic& nic = nics_[index({event.location, event.port})];
    nic.used -= std::int32_t(event.bytes);
    if (!nic.blocked || nic.used >= limit_) return false;
    nic.blocked = false;
    return true;
}

void Injection::prefetch(const Event& event, int stage) const noexcept {
    const std::size_t nic = index({event.location, event.port});
    const bool is_new = Kind(event.kind) == Kind::enqueue;
    if (stage == 0) {
        fetch_ahead(&nics_[nic]);
        if (is_new) fetch_ahead(&fabric_.messages[event.message]);
        return;
    }
    const MessageId id = is_new ? event.message : nics_[nic].head;
    if (id == no_message) return;
    const Message& message = fabric_.messages[id];
    if (stage == 1) {
        fetch_ahead(&message);
        fetch_ahead(&loads_[nic]);
    } else if (fabric_.routes_are_fixed) {
        prefetch_first_hop(message, event.location);
    }
}

void Injection::prefetch_first_hop(const Message& message, Location here) const noexcept {
    const Port* const ports = ports_.of_switch(here);
    Flight flight{fabric_.switch_of(message.destination_nic), 0, 0};
    if (flight.target == SwitchId(here)) {
        fetch_ahead(&ports[fabric_.layout.port_of(here, message.destination_nic)]);
        return;
    }
    const Hop hop = fabric_.routing.next(flight, SwitchId(here), -1,
                                         SwitchOccupancy(ports, fabric_.parameters, 0));
    fetch_ahead(&ports[hop.port]);
}

Bytes Injection::held_bytes() const noexcept {
    if (!has_limit()) return 0;
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
    for (const auto& own : counts_.all()) sum += own->packets;
    return sum;
}

}  // namespace tradewind::sim

/// The handlers of PacketNetwork's events.
#include "tradewind/sim/network/packet_network.hpp"

#include <algorithm>
#include <cstdlib>
#include <tuple>

#include "tradewind/base/fetch_ahead.hpp"
#include "tradewind/base/random.hpp"
#include "tradewind/sim/network/switch_occupancy.hpp"

namespace tradewind::sim {

void PacketNetwork::send(Worker& worker, MessageId id, Picoseconds time) {
    Message& message = messages_[id];
    message.start = time;
    Event event = enqueue_event(id, message, location_of(message.source_nic));
    event.time = time + parameters_.injection.latency;
    event.port = std::uint16_t(message.source_nic - event.location * nics_per_switch_);
    worker.schedule(event);
}

[[gnu::always_inline]] inline void PacketNetwork::handle(Worker& worker, const Event& event,
                                                         std::uint32_t foreseen) {
    switch (Kind(event.kind)) {
        case Kind::packet: {
            Arrival arrival{event, event.time + input_time(event)};
            arrive(worker, arrival, foreseen);
            break;
        }
        case Kind::credit:
            take_credit(worker, event);
            break;
        case Kind::nic_credit:
            take_nic_credit(worker, event);
            break;
        case Kind::inject:
            nics_[std::size_t(event.location) * nics_per_switch_ + event.port].busy = false;
            inject(worker, event.location, event.port);
            break;
        case Kind::enqueue:
            enqueue(worker, event);
            break;
        case Kind::port_ready:
            port(event.location, event.port).ready_pending = false;
            arbitrate(worker, event.location, event.port);
            break;
        case Kind::arrive:
        case Kind::client:
            client_->client_event(worker, event);
            break;
    }
}

/// Time from the packet's head to its last byte: at the rate of the slowest link so far, unless it
/// has been waiting.
[[gnu::always_inline]] inline Picoseconds PacketNetwork::input_time(const Event& packet) const {
    return paces_[packet.channel >> pace_shift].time(packet.bytes);
}

// ---- network interfaces ----

void PacketNetwork::enqueue(Worker& worker, const Event& event) {
    Nic& nic = nics_[std::size_t(event.location) * nics_per_switch_ + event.port];
    if (nic.head != no_message && (messages_[event.message].flags & urgent_message) != 0) {
        messages_[event.message].next = nic.head;
        nic.head = event.message;
        return;
    }
    if (nic.head == no_message) {
        nic.head = event.message;
    } else {
        messages_[nic.tail].next = event.message;
    }
    nic.tail = event.message;
    if (!nic.busy && !nic.blocked) inject(worker, event.location, event.port);
}

/// Sends one packet if the interface may, and arranges for the next one.
void PacketNetwork::inject(Worker& worker, Location here, std::uint32_t local_nic) {
    Nic& nic = nics_[std::size_t(here) * nics_per_switch_ + local_nic];
    if (nic.free_at > worker.now()) {
        nic.busy = true;
        schedule_inject(worker, here, local_nic, nic.free_at);
        return;
    }
    if (!may_inject(worker, nic, here, local_nic)) return;
    nic.busy = true;
    send_packet(worker, nic, here, local_nic);
    nic.busy = nic.head != no_message;
    if (!nic.busy) return;
    schedule_inject(worker, here, local_nic,
                    has_nic_limit() ? nic.next_turn(nic_limit_) : nic.free_at);
}

bool PacketNetwork::may_inject(Worker& worker, Nic& nic, Location here, std::uint32_t local_nic) {
    if (!has_nic_limit()) return true;
    nic.absorb(worker.now());
    if (nic.used < nic_limit_) return true;
    if (nic.releases > 0) {
        nic.busy = true;
        schedule_inject(worker, here, local_nic, nic.earliest_release());
    } else {
        nic.blocked = true;
    }
    return false;
}

void PacketNetwork::schedule_inject(Worker& worker, Location here, std::uint32_t local_nic,
                                    Picoseconds time) const {
    Event event;
    event.kind = std::uint8_t(Kind::inject);
    event.time = time;
    event.location = here;
    event.port = std::uint16_t(local_nic);
    worker.schedule(event);
}

void PacketNetwork::send_packet(Worker& worker, Nic& nic, Location here, std::uint32_t local_nic) {
    const Picoseconds now = worker.now();
    Message& message = messages_[nic.head];
    if (message.unsent == message.bytes) {
        NicTotals& totals = nic_totals_[std::size_t(here) * nics_per_switch_ + local_nic];
        totals.bytes += message.bytes;
        totals.waited += now - parameters_.injection.latency - message.start;
        message.start = now - parameters_.injection.latency;
        if (schedule_.transport != nullptr && !is_here(location_of(message.destination_nic)))
            client_->departs(worker, nic.head);
    }
    const auto bytes = std::uint32_t(std::min<Bytes>(message.unsent, message.packet_size));
    message.unsent -= bytes;
    nic.used += std::int32_t(bytes);

    Arrival arrival;
    const TransferRate rate = is_train(bytes) ? train_injection_ : parameters_.injection.rate;
    arrival.tail = now + rate.time(bytes);
    if (memory_.is_shared()) {
        const std::uint32_t global = here * nics_per_switch_ + local_nic;
        arrival.tail = std::max(arrival.tail, memory_.use(global, now, bytes));
    }
    nic.free_at = arrival.tail;
    Event& packet = arrival.packet;
    packet.kind = std::uint8_t(Kind::packet);
    packet.time = now;
    packet.location = here;
    packet.target = message.destination_nic;
    packet.message = nic.head;
    packet.bytes = bytes;
    packet.port = std::uint16_t(radix_ + local_nic);
    packet.injected = now;

    Flight flight{SwitchId(location_of(packet.target)), 0, 0};
    const std::uint32_t number = nic.packets++;
    const std::uint64_t random =
        foreseeable_
            ? 0
            : mix(parameters_.seed + here * std::uint64_t{nics_per_switch_} + local_nic, number);
    routing_.launch(flight, SwitchId(here),
                    NodeId(message.destination_nic) / parameters_.nics_per_node, random,
                    SwitchOccupancy(*this, here, now));
    packet.note = flight.note;
    packet.channel = flight.channel;
    if (foreseeable_ && message.unsent == 0) packet.channel |= last_packet;
    ++per_worker_[std::size_t(worker.index())]->packets;
    if (message.unsent == 0) {
        finish_injection(worker, nic, arrival.tail);
    } else if (parameters_.messages_in_turn > 1) {
        rotate(nic);
    }
    arrive(worker, arrival, nothing_foreseen);
}

/// Puts the first message of an interface behind the others of those that it sends in turn.
void PacketNetwork::rotate(Nic& nic) noexcept {
    const MessageId first = nic.head;
    MessageId last = first;
    for (std::int32_t i = 1; i < parameters_.messages_in_turn && last != nic.tail; ++i)
        last = messages_[last].next;
    if (last == first) return;
    nic.head = messages_[first].next;
    messages_[first].next = messages_[last].next;
    messages_[last].next = first;
    if (nic.tail == last) nic.tail = first;
}

void PacketNetwork::finish_injection(Worker& worker, Nic& nic, Picoseconds tail) {
    const MessageId id = nic.head;
    const Message& message = messages_[id];
    nic.head = message.next;
    if (nic.head != no_message) fetch_ahead(&messages_[nic.head]);
    nic.free_at = std::max(nic.free_at,
                           message.start + parameters_.injection.latency + parameters_.message_gap);
    if ((message.flags & notify_injected) != 0) {
        client_->injected(worker, id, tail - parameters_.injection.latency);
    }
}

void PacketNetwork::take_nic_credit(Worker& worker, const Event& event) {
    Nic& nic = nics_[std::size_t(event.location) * nics_per_switch_ + event.port];
    nic.used -= std::int32_t(event.bytes);
    if (!nic.blocked || nic.used >= nic_limit_) return;
    nic.blocked = false;
    inject(worker, event.location, event.port);
}

// ---- switches ----

[[gnu::always_inline]] inline void PacketNetwork::arrive(Worker& worker, Arrival& arrival,
                                                         std::uint32_t foreseen) {
    Event& packet = arrival.packet;
    const Location here = packet.location;
    auto& own = *per_worker_[std::size_t(worker.index())];
    own.hops.store(own.hops.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    Output output(foreseen);
    if (!output.is_known()) output = choose_output(worker, packet);
    const std::uint32_t number = output.port();
    const int channel = output.channel();
    Port& out = wired_port(here, number);
    const bool no_credit = number < radix_ && !has_room(out, channel);
    const bool taken = has_arbiter() && (out.queue != no_index ||
                                         out.next_free > packet.time + parameters_.switch_latency);
    if (no_credit || taken || (bounded_ && own.queues.holds(out, channel))) {
        own.queues.push(out, {packet, arrival.tail, no_index, std::uint8_t(channel)});
        if (has_arbiter() && !no_credit) schedule_arbitration(worker, here, number);
        return;
    }
    transmit(worker, out, number, channel, arrival, packet.time);
}

/// Asks the routing rule, which may change its notes in the packet.
[[gnu::always_inline]] inline PacketNetwork::Output PacketNetwork::choose_output(
    const Worker& worker, Event& packet) {
    const Location here = packet.location;
    Flight flight{SwitchId(location_of(packet.target)), packet.note, channel_of(packet)};
    if (routing_.arrived(flight, SwitchId(here)))
        return {radix_ + packet.target - here * nics_per_switch_, 0};
    const PortId in_port = packet.port < radix_ ? PortId(packet.port) : -1;
    const Hop hop =
        routing_.next(flight, SwitchId(here), in_port, SwitchOccupancy(*this, here, worker.now()));
    packet.note = flight.note;
    return {std::uint32_t(hop.port), hop.channel};
}

/// Gives the packet its output port from `eligible` on.
[[gnu::always_inline]] inline void PacketNetwork::transmit(Worker& worker, Port& out,
                                                           std::uint32_t number, int channel,
                                                           const Arrival& arrival,
                                                           Picoseconds eligible) {
    const Event& packet = arrival.packet;
    Picoseconds ready = eligible + parameters_.switch_latency;
    Picoseconds stretched = arrival.tail + parameters_.switch_latency;
    if (!crossbar_free_.empty()) {
        Picoseconds& crossbar = crossbar_free_[packet.location];
        ready = std::max(ready, crossbar);
        crossbar = ready + parameters_.crossbar.time(packet.bytes);
        stretched = std::max(stretched, crossbar);
    }
    const bool ejects = number >= radix_;
    const LinkSpeed& link = ejects ? parameters_.ejection : parameters_.links[out.link_class];
    const TransferRate rate =
        is_train(packet.bytes) && !ejects ? train_rates_[out.link_class] : link.rate;
    const Picoseconds head = std::max(ready, out.next_free);
    const Picoseconds alone = head + rate.time(packet.bytes);
    const Picoseconds tail = std::max(stretched, alone);
    out.next_free = parameters_.port_sharing == PortSharing::interleaved ? alone : tail;
    out.bytes += packet.bytes;
    const Picoseconds waited = head - (packet.time + parameters_.switch_latency);
    out.waited += waited;
    if (observe_.packet_waits)
        per_worker_[std::size_t(worker.index())]->observer.packet_waited(waited);
    if (bounded_) release_buffer(worker, packet, {head, alone, tail, link.rate});
    if (ejects) {
        deliver(worker, packet, tail + link.latency);
        return;
    }
    out.used[channel] += std::int32_t(packet.bytes);
    const int pace = equal_rates_ ? 0 : nearest_pace(out.link_class, packet.bytes, tail - head);
    Event next = packet;
    next.time = head + link.latency;
    next.location = out.peer;
    next.port = out.peer_port;
    next.channel = std::uint8_t((packet.channel & last_packet) | channel | pace << pace_shift);
    worker.schedule(next);
}

[[gnu::always_inline]] inline void PacketNetwork::deliver(Worker& worker, const Event& packet,
                                                          Picoseconds time) {
    if (memory_.is_shared())
        time = std::max(time, memory_.use(packet.target, worker.now(), packet.bytes));
    if (!foreseeable_ || (packet.channel & last_packet) != 0) deliver_message(worker, packet, time);
}

/// The last packet of a message, or any one if packets overtake each other.
void PacketNetwork::deliver_message(Worker& worker, const Event& packet, Picoseconds time) {
    Message& message = messages_[packet.message];
    message.arrival = std::max(message.arrival, time);
    if (!foreseeable_) {
        message.undelivered -= packet.bytes;
        if (message.undelivered > 0) return;
    }
    if ((message.flags & control_message) == 0) {
        const auto source = SwitchId(location_of(message.source_nic));
        const NodeId node = NodeId(message.destination_nic) / parameters_.nics_per_node;
        const Picoseconds alone =
            contention_free_.time(message, source, SwitchId(packet.location), node);
        per_worker_[std::size_t(worker.index())]->observer.delivered(
            message, message.arrival - message.start - alone);
    }
    client_->delivered(worker, packet.message, message.arrival);
}

/// The rate of paces_ at which a packet's bytes take nearly `duration`; mostly that of the link.
std::uint8_t PacketNetwork::nearest_pace(std::size_t link_class, Bytes bytes,
                                         Picoseconds duration) const noexcept {
    std::size_t best = link_class + 1;
    if (paces_[best].time(bytes) == duration) return std::uint8_t(best);
    Picoseconds least = INT64_MAX;
    for (std::size_t i = 0; i < paces_.size(); ++i) {
        const Picoseconds off = std::abs(paces_[i].time(bytes) - duration);
        if (off < least) std::tie(best, least) = std::pair(i, off);
    }
    return std::uint8_t(best);
}

/// When the buffer that `packet` leaves has room for as many bytes again, if they come in as these
/// did, over a link of rate `link`. With CreditReturn::tail a packet makes room when its last byte
/// has left, and a train when its first packet has, or so much later that what comes in never
/// overtakes what leaves. With CreditReturn::head that holds for the bytes of a packet, too.
Picoseconds PacketNetwork::room_time(const Event& packet, const Departure& leaving,
                                     const TransferRate& link) const noexcept {
    const bool by_byte = parameters_.credit_return == CreditReturn::head;
    if (!by_byte && !is_train(packet.bytes)) return leaving.tail;
    const Bytes one = by_byte ? 0 : parameters_.packet_size;
    return std::max(leaving.head + leaving.drain.time(one),
                    leaving.drained - input_time(packet) + link.time(one));
}

/// Tells whoever sent a packet here that its buffer space is free, or will be.
[[gnu::always_inline]] inline void PacketNetwork::release_buffer(Worker& worker,
                                                                 const Event& packet,
                                                                 const Departure& leaving) {
    Event credit;
    credit.bytes = packet.bytes;
    credit.channel = channel_of(packet);
    if (packet.port >= radix_) {
        if (parameters_.nic_buffer == 0) return;
        const std::uint32_t local_nic = packet.port - radix_;
        Nic& nic = nics_[std::size_t(packet.location) * nics_per_switch_ + local_nic];
        const Picoseconds known = room_time(packet, leaving, parameters_.injection.rate) +
                                  2 * parameters_.injection.latency;
        if (nic.can_release()) {
            nic.release(known, packet.bytes);
            return;
        }
        credit.kind = std::uint8_t(Kind::nic_credit);
        credit.time = known;
        credit.location = packet.location;
        credit.port = std::uint16_t(local_nic);
        worker.schedule(credit);
        return;
    }
    const Port& in = wired_port(packet.location, packet.port);
    credit.kind = std::uint8_t(Kind::credit);
    const LinkSpeed& link = parameters_.links[in.link_class];
    credit.time = room_time(packet, leaving, link.rate) + link.latency;
    if (upstream_.empty()) {
        credit.location = in.peer;
        credit.port = in.peer_port;
    } else {
        const Upstream& up = upstream_[std::size_t(packet.location) * radix_ + packet.port];
        credit.location = up.location;
        credit.port = up.port;
    }
    worker.schedule(credit);
}

[[gnu::always_inline]] inline void PacketNetwork::take_credit(Worker& worker, const Event& event) {
    Port& out = port(event.location, event.port);
    out.used[event.channel] -= std::int32_t(event.bytes);
    if (out.queue == no_index || !has_room(out, event.channel)) return;
    if (has_arbiter()) {
        schedule_arbitration(worker, event.location, event.port);
        return;
    }
    auto& queues = per_worker_[std::size_t(worker.index())]->queues;
    while (has_room(out, event.channel) && queues.holds(out, event.channel)) {
        const WaitingPacket waiting = queues.pop(out, event.channel);
        transmit(worker, out, event.port, event.channel, {waiting.packet, waiting.tail},
                 std::max(waiting.packet.time, worker.now() - parameters_.switch_latency));
    }
}

/// The port chooses when it becomes free, among the packets that have come in by then.
void PacketNetwork::schedule_arbitration(Worker& worker, Location here, std::uint32_t number) {
    Port& out = port(here, number);
    if (out.ready_pending) return;
    out.ready_pending = true;
    Event event;
    event.kind = std::uint8_t(Kind::port_ready);
    event.time = std::max(worker.now(), out.next_free - parameters_.switch_latency);
    event.location = here;
    event.port = std::uint16_t(number);
    worker.schedule(event);
}

void PacketNetwork::arbitrate(Worker& worker, Location here, std::uint32_t number) {
    Port& out = port(here, number);
    auto& queues = per_worker_[std::size_t(worker.index())]->queues;
    unsigned allowed = 0;
    for (int channel = 0; channel < max_channels; ++channel) {
        const bool room = number >= radix_ || has_room(out, channel);
        if (room && queues.holds(out, channel)) allowed |= 1U << channel;
    }
    if (allowed == 0) return;
    const WaitingPacket waiting =
        take_turn(queues, out, std::size_t(here) * stride_ + number, allowed);
    transmit(worker, out, number, waiting.channel, {waiting.packet, waiting.tail},
             std::max(waiting.packet.time, worker.now() - parameters_.switch_latency));
    if (out.queue != no_index) schedule_arbitration(worker, here, number);
}

/// Takes the packet whose turn it is; `allowed` are the channels with credit. Round robin among the
/// input ports decides between equals.
WaitingPacket PacketNetwork::take_turn(WaitQueues& queues, Port& out, std::size_t index,
                                       unsigned allowed) {
    auto& last = last_served_[index];
    const Arbitration rule = parameters_.arbitration;
    const bool own_first = rule == Arbitration::weighted &&
                           std::int32_t(transit_turns_[index]) >= parameters_.transit_weight;
    const bool by_class = rule == Arbitration::transit_first || rule == Arbitration::weighted;
    const auto rank_of = [&](const Event& packet) {
        TurnRank rank{0, (packet.port + stride_ - last - 1) % stride_};
        if (rule == Arbitration::oldest_first) rank.first = packet.injected;
        if (by_class) rank.first = (packet.port >= radix_) != own_first ? 1 : 0;
        return rank;
    };
    const WaitingPacket result = queues.pop_lowest(out, allowed, rank_of);
    last = result.packet.port;
    if (rule == Arbitration::weighted) {
        auto& turns = transit_turns_[index];
        turns = last >= radix_
                    ? 0
                    : std::uint16_t(std::min<int>(turns + 1, parameters_.transit_weight));
    }
    return result;
}

void PacketNetwork::run(Client& client, const Progress& progress) {
    client_ = &client;
    Engine<PacketNetwork> engine(*this, schedule_);
    engine.run(progress);
    events_ = engine.events();
    windows_ = engine.windows();
}

}  // namespace tradewind::sim

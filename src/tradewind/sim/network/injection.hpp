/// Injection: the network interfaces, which cut messages into packets and send them.
#pragma once

#include <algorithm>
#include <optional>

#include "tradewind/base/fetch_ahead.hpp"
#include "tradewind/base/large_memory.hpp"
#include "tradewind/base/random.hpp"
#include "tradewind/sim/network/fabric.hpp"
#include "tradewind/sim/network/journey_log.hpp"
#include "tradewind/sim/network/load_counter.hpp"
#include "tradewind/sim/network/nic.hpp"
#include "tradewind/sim/network/packet.hpp"
#include "tradewind/sim/network/switching/ports.hpp"
#include "tradewind/sim/network/switching/switch_occupancy.hpp"

namespace tradewind::sim {

/// Returns the event at which an interface sends its next packet.
[[nodiscard]] inline Event inject_event(const PortAddress& nic, Picoseconds time) noexcept {
    Event event;
    event.kind = std::uint8_t(EventKind::inject);
    event.time = time;
    event.location = nic.location;
    event.port = nic.port;
    return event;
}
/// Schedules the next turn of an interface.
inline void schedule_turn(Worker& worker, Nic& nic, const PortAddress& at, Picoseconds time) {
    nic.busy = true;
    worker.schedule(inject_event(at, time));
}

/// Returns how much later than with its first packet a train gives back its room at an interface
/// that may have less than `limit` bytes under way, where it does so with its last byte. With
/// first_come, more than its share of a port would go to the buffer of an interface that is
/// refilled by whole trains at once. As many trains are under way as find room to begin; the room
/// may be late by the time of sending them, less the way of packet and credit.
[[nodiscard]] inline Picoseconds train_hold(const NetworkParameters& parameters, Bytes limit,
                                            Bytes train) {
    const auto& [rate, latency] = parameters.injection;
    const Bytes packet = parameters.packet_size;
    const Bytes under_way = (limit + train - 1) / train * train;
    const Picoseconds loop = 2 * latency + parameters.switch_latency;
    return std::clamp<Picoseconds>(rate.time(under_way - packet) - loop, 0,
                                   rate.time(train - packet));
}

/// The channel of an inject event for a packet that goes between those of a train.
inline constexpr std::uint8_t interruption = 1;

/// The interfaces. Each sends the messages of its queue packet by packet, as fast as its rate, the
/// gap between messages, the memory of its node and the buffer behind it allow. PortAddress::port
/// counts the interfaces of a switch here.
class Injection {
public:
    Injection(Fabric& fabric, const Ports& ports);

    /// Takes a message to its interface, where it arrives one injection latency after `time`.
    void submit(Worker& worker, MessageId id, Picoseconds time);
    /// Puts the message of an event into the queue of its interface. Returns true if the interface
    /// was idle. If it sends a train, schedules an urgent message between the packets of it.
    [[nodiscard]] bool enqueue(Worker& worker, const Event& event);
    /// Returns the packet of an urgent message that goes between the packets of a train, without
    /// a change of the interface's turns; none if the train has ended.
    [[nodiscard]] std::optional<Arrival> interrupting_packet(Worker& worker, PortAddress nic);
    /// Returns the next packet of an interface; none if it may not send now, or has none.
    [[nodiscard]] std::optional<Arrival> next_packet(Worker& worker, PortAddress nic);
    /// Schedules the packet after the one that `next_packet` has returned, when that one is in its
    /// switch.
    void schedule_next(Worker& worker, PortAddress nic);

    /// Gives back the buffer space of a packet that leaves its first switch, at `time`.
    [[gnu::always_inline]] void release(Worker& worker, const Packet& packet, Picoseconds time) {
        if (!is_limited_) return;
        const PortAddress at{packet.location(),
                             std::uint16_t(packet.input_port() - layout_.radix())};
        if (holds_train_room_ && is_train(fabric_.parameters, packet.bytes())) [[unlikely]]
            time += train_hold(fabric_.parameters, limit_, packet.bytes());
        const Picoseconds known = time + 2 * latency_;
        Nic& nic = nics_[index(at)];
        if (nic.can_release()) {
            nic.release(known, packet.bytes());
        } else {
            send_credit(worker, at, packet.bytes(), packet.channel(), known);
        }
    }
    /// Takes back the buffer space of a credit event. Returns true if the interface was waiting
    /// for it.
    [[nodiscard]] bool take_credit(const Event& event) noexcept;

    /// Asks for the memory that the event names.
    void foresee(const Event& event) const noexcept {
        fetch_ahead(&nics_[index({event.location, event.port})]);
        if (EventKind(event.kind) == EventKind::enqueue)
            fetch_ahead(&fabric_.messages[event.message]);
    }
    /// Asks for the memory that this names in turn, in stages 1 and 2. Returns the output port of
    /// the next packet if that is known in this stage.
    [[nodiscard]] std::optional<std::uint16_t> prefetch(const Event& event,
                                                        int stage) const noexcept;

    /// Returns the bytes that take up buffer space; zero when everything has been delivered.
    [[nodiscard]] Bytes held_bytes() const noexcept;
    /// Returns the number of packets that were sent: exact while no interface has sent 2^32 of
    /// them.
    [[nodiscard]] std::int64_t packets() const noexcept;
    /// Returns the load that an interface has sent.
    [[nodiscard]] const LoadCounter& load(std::size_t nic) const noexcept { return loads_[nic]; }
    [[nodiscard]] std::size_t nics() const noexcept { return nics_.size(); }

private:
    [[nodiscard]] std::size_t index(const PortAddress& nic) const noexcept {
        return layout_.nic_index(nic.location, nic.port);
    }
    [[nodiscard]] bool may_send(Worker& worker, Nic& nic, const PortAddress& at);
    void send_credit(Worker& worker, PortAddress at, std::uint32_t bytes, std::uint8_t channel,
                     Picoseconds time) const;
    [[nodiscard]] Arrival take_packet(Worker& worker, PortAddress at, Nic& nic);
    void begin_message(Worker& worker, const Nic& nic, std::size_t number);
    [[nodiscard]] Picoseconds send_time(std::size_t number, Picoseconds now, Bytes bytes);
    [[nodiscard]] Flight launch(std::size_t nic, std::uint32_t number, Location here,
                                std::uint32_t destination, Picoseconds now) const;
    void finish_message(Worker& worker, Nic& nic, Picoseconds tail);
    void note_injection(const Packet& packet, Bytes before) const;
    void rotate(Nic& nic) noexcept;
    [[nodiscard]] std::uint16_t first_port(const Message& message, Location here,
                                           Flight flight) const noexcept;

    Fabric& fabric_;
    const Ports& ports_;
    SwitchLayout layout_;
    Picoseconds latency_;
    /// The length of trains into ports that ask for short ones.
    std::uint32_t short_train_;
    std::uint32_t first_train_;
    /// The rate of trains that the buffer behind an interface can sustain.
    TransferRate train_rate_;
    /// True if an interface must have less than `limit_` under way, as buffers are finite.
    bool is_limited_;
    bool holds_train_room_;
    Bytes limit_;
    ZeroedArray<Nic> nics_;
    ZeroedArray<LoadCounter> loads_;
};

// ---- what every packet touches, to be inlined where the packet enters its switch ----

[[gnu::always_inline]] inline std::optional<Arrival> Injection::next_packet(Worker& worker,
                                                                            PortAddress at) {
    Nic& nic = nics_[index(at)];
    nic.busy = false;
    // The only message may have been urgent, and have gone between the packets of a train.
    if (nic.head == no_message || !may_send(worker, nic, at)) return std::nullopt;
    return take_packet(worker, at, nic);
}

/// Takes the next packet out of the first message of the queue.
[[gnu::always_inline]] inline Arrival Injection::take_packet(Worker& worker, PortAddress at,
                                                             Nic& nic) {
    const std::size_t number = index(at);
    const Picoseconds now = worker.now();
    Message& message = fabric_.messages[nic.head];
    if (message.unsent == message.bytes) begin_message(worker, nic, number);
    auto bytes = std::uint32_t(std::min<Bytes>(message.unsent, message.packet_size));
    const auto is_short_wanted = [&] {
        const Flight flight =
            launch(number, nic.packets, at.location, message.destination_nic, now);
        const std::uint16_t port = first_port(message, at.location, flight);
        return ports_.of_switch(at.location)[port].short_trains > 0;
    };
    if (bytes > first_train_) [[unlikely]]
        bytes = std::uint32_t(
            std::min<Bytes>(bytes, std::max<Bytes>(message.bytes - message.unsent, first_train_)));
    if (bytes > short_train_ && is_short_wanted()) [[unlikely]]
        bytes = short_train_;
    message.unsent -= bytes;
    if (is_limited_) nic.used += std::int32_t(bytes);
    nic.free_at = send_time(number, now, bytes);

    const PortAddress input{at.location, std::uint16_t(layout_.radix() + at.port)};
    Arrival arrival{Packet::injected(input, now, nic.head, bytes, message.destination_nic),
                    nic.free_at};
    arrival.packet.launch(launch(number, nic.packets++, at.location, message.destination_nic, now));
    if (message.unsent == 0) {
        if (fabric_.routes_are_fixed) arrival.packet.mark_last();
        finish_message(worker, nic, arrival.tail);
    } else if (fabric_.parameters.messages_in_turn > 1) {
        rotate(nic);
    }
    if (fabric_.journeys != nullptr) [[unlikely]]
        note_injection(arrival.packet, message.bytes - message.unsent - bytes);
    return arrival;
}

/// Returns when the last byte of a packet that starts `now` has left its interface.
[[gnu::always_inline]] inline Picoseconds Injection::send_time(std::size_t number, Picoseconds now,
                                                               Bytes bytes) {
    const TransferRate rate =
        is_train(fabric_.parameters, bytes) ? train_rate_ : fabric_.parameters.injection.rate;
    const Picoseconds tail = now + rate.time(bytes);
    if (!fabric_.memory.is_shared()) return tail;
    return std::max(tail, fabric_.memory.use(std::uint32_t(number), now, bytes));
}

/// Lets the routing rule make the choices that belong to the source, for packet `number` of an
/// interface.
[[gnu::always_inline]] inline Flight Injection::launch(std::size_t nic, std::uint32_t number,
                                                       Location here, std::uint32_t destination,
                                                       Picoseconds now) const {
    const std::uint64_t random =
        fabric_.routes_are_fixed ? 0 : mix(fabric_.parameters.seed + nic, number);
    Flight flight{fabric_.switch_of(destination), 0, 0};
    fabric_.routing.launch(flight, SwitchId(here), fabric_.node_of(destination), random,
                           SwitchOccupancy(ports_.of_switch(here), fabric_.parameters, now));
    return flight;
}

/// Returns true if the interface may send a packet now. Schedules a later attempt if it may not.
[[gnu::always_inline]] inline bool Injection::may_send(Worker& worker, Nic& nic,
                                                       const PortAddress& at) {
    if (nic.free_at > worker.now()) {
        schedule_turn(worker, nic, at, nic.free_at);
        return false;
    }
    if (!is_limited_) return true;
    nic.absorb(worker.now());
    if (nic.used < limit_) return true;
    if (nic.releases > 0) {
        schedule_turn(worker, nic, at, nic.earliest_release());
    } else {
        nic.blocked = true;
    }
    return false;
}

[[gnu::always_inline]] inline void Injection::begin_message(Worker& worker, const Nic& nic,
                                                            std::size_t number) {
    Message& message = fabric_.messages[nic.head];
    const Picoseconds start = worker.now() - latency_;
    loads_[number].add(message.bytes, start - message.start);
    message.start = start;
    if (fabric_.journeys != nullptr) [[unlikely]]
        fabric_.journeys->started(nic.head, start);
    if (fabric_.is_elsewhere(layout_.location_of(message.destination_nic)))
        fabric_.client->departs(worker, nic.head);
}

}  // namespace tradewind::sim

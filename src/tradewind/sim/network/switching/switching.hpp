/// Switching: packets through switches, with cut-through, finite buffers and credits.
#pragma once

#include <algorithm>
#include <atomic>
#include <vector>

#include "tradewind/sim/kernel/per_worker.hpp"
#include "tradewind/sim/network/fabric.hpp"
#include "tradewind/sim/network/injection.hpp"
#include "tradewind/sim/network/packet.hpp"
#include "tradewind/sim/network/reassembly.hpp"
#include "tradewind/sim/network/switching/arbiter.hpp"
#include "tradewind/sim/network/switching/output.hpp"
#include "tradewind/sim/network/switching/paces.hpp"
#include "tradewind/sim/network/switching/ports.hpp"
#include "tradewind/sim/network/switching/switch_occupancy.hpp"
#include "tradewind/sim/network/switching/trains.hpp"
#include "tradewind/sim/network/switching/wait_queues.hpp"

namespace tradewind::sim {

/// The switches. A packet takes its output port as soon as it has credit there: the port remembers
/// until when it is taken. Nothing waits in a queue unless credit is missing or an arbiter decides.
class Switching {
public:
    /// Takes the `shortest` routes for contention-free times. `injection` need not exist yet.
    Switching(Fabric& fabric, Injection& injection, const Routing& shortest);

    /// Takes a packet in through an input port; `output` may be unknown.
    void arrive(Worker& worker, Arrival& arrival, Output output);
    /// Takes in a packet of another switch.
    [[gnu::always_inline]] void receive(Worker& worker, const Event& event, Output output) {
        Arrival arrival{Packet(event)};
        arrival.tail = event.time + paces_.input_time(arrival.packet);
        arrive(worker, arrival, output);
    }
    /// Takes back the buffer space behind an output port, and sends the packet that has been
    /// waiting for it.
    void take_credit(Worker& worker, const Event& event);
    /// Lets an output port that is ready take its next packet.
    void serve(Worker& worker, const Event& event);

    /// Asks for the memory that a packet's arrival will touch. Returns its output where that can
    /// be known already.
    [[nodiscard]] Output foresee(const Event& event) noexcept;
    /// Asks for an output port, and for the train that it sends if a packet will take it.
    void prefetch_port(const PortAddress& at, bool is_taken) const noexcept {
        const std::size_t index = ports_.layout().port_index(at.location, at.port);
        fetch_ahead(&ports_[index]);
        if (is_taken) trains_.prefetch(index);
    }
    /// Asks for the packet that a credit may set free.
    void prefetch_waiting(const Worker& worker, const Event& credit, int stage) noexcept {
        records_[worker].queues.prefetch(ports_.at(credit.location, credit.port), credit.channel,
                                         stage);
    }

    [[nodiscard]] const Ports& ports() const noexcept { return ports_; }
    /// Returns the number of passages of packets through switches so far. It may be called while
    /// the network runs.
    [[nodiscard]] std::int64_t hops() const noexcept;
    /// Returns the bytes that take up buffer space or wait for it.
    [[nodiscard]] Bytes held_bytes() const noexcept;
    void merge_into(NetworkReport& report) const;

private:
    struct alignas(64) SwitchingRecord {
        explicit SwitchingRecord(KeptOrder kept) : queues(kept) {}

        WaitQueues queues;
        /// The waiting times of packets at output ports, where asked for.
        Histogram waits;
        /// The number of passages, which only its worker writes. The worker that reports progress
        /// reads it.
        std::atomic<std::int64_t> hops{0};
    };
    /// The time at which the first byte of a packet leaves a switch, that at which its last one
    /// would at the full rate of the port, that at which it does, and that rate.
    struct Departure {
        Picoseconds head;
        Picoseconds drained;
        Picoseconds tail;
        TransferRate drain;
    };

    /// The turn of a packet between those of a train; it comes after the train if it is not before
    /// the end of it. The train has taken credit for all its packets, of which only a few can be
    /// under way: `has_credit` is true as long as the first of them cannot have returned its own.
    struct Passage {
        /// The time from which the packet could leave if the port was free.
        Picoseconds ready = 0;
        bool is_found = false;
        Picoseconds turn = INT64_MAX;
        bool has_credit = false;
        /// The time that the port takes for a packet of the train, and how often others pass.
        Picoseconds one = 0;
        PassRate rate{};
    };

    [[nodiscard]] bool joins_switches(std::uint32_t port) const noexcept {
        return ports_.layout().joins_switches(port);
    }
    [[nodiscard]] bool has_room(const Port& out, int channel) const noexcept {
        return !is_bounded_ || out.used[channel] < channel_limit_;
    }
    [[nodiscard]] Output choose_output(const Worker& worker, Packet& packet) const;
    void transmit(Worker& worker, Port& out, Output output, const Arrival& arrival,
                  const Passage& passage);
    [[nodiscard]] Departure reserve(Worker& worker, Port& out, std::uint32_t number,
                                    const LinkSpeed& link, const Arrival& arrival, Passage passage);
    [[nodiscard]] Passage find_passage(const Rivals& rivals, const Port& out, std::uint32_t number,
                                       const Packet& packet, Picoseconds ready);
    void let_pass(Worker& worker, Port& out, PortAddress at, int channel);
    void forward(Worker& worker, Port& out, int channel, const Packet& packet,
                 const Departure& leaving, const LinkSpeed& link);
    void release_buffer(Worker& worker, const Port& out, const Packet& packet,
                        const Departure& leaving);
    [[nodiscard]] Picoseconds room_time(const Packet& packet, const Departure& leaving,
                                        const TransferRate& link) const noexcept;
    void transmit_waiting(Worker& worker, Port& out, std::uint32_t number,
                          const WaitingPacket& waiting);
    void schedule_arbitration(Worker& worker, Location here, std::uint32_t number);
    void note_passage(Worker& worker, const Port& out, const Packet& packet, Picoseconds waited,
                      Picoseconds held);

    Fabric& fabric_;
    Injection& injection_;
    /// A copy, which is nearer than that of the fabric.
    const NetworkParameters parameters_;
    Ports ports_;
    Reassembly reassembly_;
    Paces paces_;
    Arbiter arbiter_;
    Trains trains_;
    bool is_bounded_;
    /// True if someone asks for the waits of packets.
    bool observes_packets_;
    /// The fill of the buffer behind a packet below which the packet may leave: room for one packet
    /// is left then.
    std::int32_t channel_limit_;
    /// The time at which each switch has passed on all bytes so far; only for AMM3.
    std::vector<Picoseconds> crossbar_free_;
    PerWorker<SwitchingRecord> records_;
};

// ---- what every packet touches, to be inlined into the engine's loop ----

[[gnu::always_inline]] inline void Switching::arrive(Worker& worker, Arrival& arrival,
                                                     Output output) {
    Packet& packet = arrival.packet;
    const Location here = packet.location();
    SwitchingRecord& own = records_[worker];
    own.hops.store(own.hops.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    if (!output.is_known()) output = choose_output(worker, packet);
    const std::uint32_t number = output.port();
    const int channel = output.channel();
    Port& out = ports_.wired(here, number);
    bool no_credit = joins_switches(number) && !has_room(out, channel);
    const Picoseconds ready = packet.head() + parameters_.switch_latency;
    const bool taken = arbiter_.decides() && (out.queue != no_index || out.next_free > ready);
    bool waits = taken || (is_bounded_ && own.queues.holds(out, channel));
    Passage passage{.ready = ready};
    if (out.carries_train && (waits || no_credit) && !is_train(parameters_, packet.bytes()))
        [[unlikely]] {
        passage = find_passage(own.queues.rivals(out), out, number, packet, ready);
        const bool passes = passage.turn < out.next_free;
        if (waits) waits = !passes || own.queues.holds_from(out, packet.input_port());
        if (passes && passage.has_credit) no_credit = false;
    }
    if (no_credit || waits) {
        own.queues.push(out, {.packet = packet,
                              .tail = arrival.tail,
                              .channel = std::uint32_t(channel),
                              .is_train = is_train(parameters_, packet.bytes())});
        if (fabric_.journeys != nullptr && !taken) [[unlikely]]
            fabric_.journeys->lacks_credit(packet);
        if (arbiter_.decides() && !no_credit) schedule_arbitration(worker, here, number);
        return;
    }
    transmit(worker, out, output, arrival, passage);
}

/// Asks the routing rule, which may change its notes in the packet.
[[gnu::always_inline]] inline Output Switching::choose_output(const Worker& worker,
                                                              Packet& packet) const {
    const Location here = packet.location();
    Flight flight = packet.flight(fabric_.switch_of(packet.destination_nic()));
    if (fabric_.routing.arrived(flight, SwitchId(here)))
        return {ports_.layout().port_of(here, packet.destination_nic()), 0};
    const std::uint32_t input = packet.input_port();
    const Hop hop =
        fabric_.routing.next(flight, SwitchId(here), joins_switches(input) ? PortId(input) : -1,
                             SwitchOccupancy(ports_.of_switch(here), parameters_, worker.now()));
    packet.keep_note(flight);
    return {std::uint32_t(hop.port), hop.channel};
}

/// Gives the packet its output port from `passage.ready` on.
[[gnu::always_inline]] inline void Switching::transmit(Worker& worker, Port& out, Output output,
                                                       const Arrival& arrival,
                                                       const Passage& passage) {
    const bool ejects = !joins_switches(output.port());
    const LinkSpeed& link = ejects ? parameters_.ejection : parameters_.links[out.link_class];
    const Departure leaving = reserve(worker, out, output.port(), link, arrival, passage);
    if (is_bounded_) release_buffer(worker, out, arrival.packet, leaving);
    if (ejects) {
        reassembly_.deliver(worker, arrival.packet, leaving.tail + link.latency);
    } else {
        forward(worker, out, output.channel(), arrival.packet, leaving, link);
    }
}

/// Takes the crossbar and the port for the time of the packet.
[[gnu::always_inline]] inline Switching::Departure Switching::reserve(Worker& worker, Port& out,
                                                                      std::uint32_t number,
                                                                      const LinkSpeed& link,
                                                                      const Arrival& arrival,
                                                                      Passage passage) {
    const Packet& packet = arrival.packet;
    const Picoseconds earliest = packet.head() + parameters_.switch_latency;
    const Picoseconds held = passage.ready - earliest;
    Picoseconds ready = passage.ready;
    Picoseconds stretched = arrival.tail + parameters_.switch_latency;
    if (!crossbar_free_.empty()) {
        Picoseconds& crossbar = crossbar_free_[packet.location()];
        ready = std::max(ready, crossbar);
        crossbar = ready + parameters_.crossbar.time(packet.bytes());
        stretched = std::max(stretched, crossbar);
    }
    const TransferRate rate = is_train(parameters_, packet.bytes()) && joins_switches(number)
                                  ? paces_.of_train(out.link_class)
                                  : link.rate;
    Picoseconds head = std::max(ready, out.next_free);
    const WaitQueues& queues = records_[worker].queues;
    const bool is_beside_train = trains_.are_kept() &&
                                 (out.carries_train || queues.holds_trains(out)) &&
                                 !is_train(parameters_, packet.bytes());
    if (is_beside_train) [[unlikely]] {
        if (!passage.is_found || passage.ready != ready)
            passage = find_passage(queues.rivals(out), out, number, packet, ready);
        head = std::min(head, passage.turn);
    }
    const Picoseconds alone = head + rate.time(packet.bytes());
    const Picoseconds tail = std::max(stretched, alone);
    const Picoseconds end = parameters_.port_sharing == PortSharing::interleaved ? alone : tail;
    const auto index = [&] { return ports_.layout().port_index(packet.location(), number); };
    if (head < out.next_free) [[unlikely]] {
        trains_.pass(out, index(), packet, head, end - head, passage.one, passage.rate);
    } else {
        out.next_free = end;
        if (is_train(parameters_, packet.bytes())) {
            trains_.begin(out, index(), arrival, head);
        } else if (is_beside_train) [[unlikely]] {
            trains_.follow(index(), packet, head, end - head, passage.one, passage.rate);
            out.carries_train = false;
        }
    }
    if (is_beside_train) [[unlikely]]
        trains_.note_single(out, index(), packet);
    const Picoseconds waited = head - earliest;
    out.load.add(packet.bytes(), waited);
    if (observes_packets_) [[unlikely]]
        note_passage(worker, out, packet, waited, held);
    return {head, alone, tail, link.rate};
}

/// Sends a packet over its link to the next switch.
[[gnu::always_inline]] inline void Switching::forward(Worker& worker, Port& out, int channel,
                                                      const Packet& packet,
                                                      const Departure& leaving,
                                                      const LinkSpeed& link) {
    if (is_bounded_) out.used[channel] += std::int32_t(packet.bytes());
    const int pace = paces_.number(out.link_class, packet.bytes(), leaving.tail - leaving.head);
    worker.schedule(
        packet.forwarded({out.peer, out.peer_port}, leaving.head + link.latency, channel, pace));
}

/// Returns the time at which the buffer that `packet` leaves has room for as many bytes again, if
/// they come in as these did, over a link of rate `link`. With CreditReturn::tail a packet makes
/// room when its last byte has left, and a train when its first packet has, or so much later that
/// the bytes that come in never overtake those that leave. With CreditReturn::head that holds for
/// the bytes of a packet, too.
inline Picoseconds Switching::room_time(const Packet& packet, const Departure& leaving,
                                        const TransferRate& link) const noexcept {
    const bool by_byte = parameters_.credit_return == CreditReturn::head;
    if (!by_byte && !is_train(parameters_, packet.bytes())) return leaving.tail;
    const Bytes one = by_byte ? 0 : parameters_.packet_size;
    return std::max(leaving.head + leaving.drain.time(one),
                    leaving.drained - paces_.input_time(packet) + link.time(one));
}

/// Tells the sender of a packet that its buffer space is free, or will be, and for how many trains
/// the port asks for short ones.
[[gnu::always_inline]] inline void Switching::release_buffer(Worker& worker, const Port& out,
                                                             const Packet& packet,
                                                             const Departure& leaving) {
    const Location here = packet.location();
    const std::uint32_t input = packet.input_port();
    if (!joins_switches(input)) {
        injection_.release(worker, packet, room_time(packet, leaving, parameters_.injection.rate));
        return;
    }
    const Port& in = ports_.wired(here, input);
    const PortAddress sender = ports_.sender_to(here, input, in);
    const LinkSpeed& link = parameters_.links[in.link_class];
    Event credit;
    credit.kind = std::uint8_t(EventKind::credit);
    credit.time = room_time(packet, leaving, link.rate) + link.latency;
    credit.location = sender.location;
    credit.target = out.short_trains;
    credit.port = sender.port;
    credit.bytes = packet.bytes();
    credit.channel = packet.channel();
    worker.schedule(credit);
}

[[gnu::always_inline]] inline void Switching::take_credit(Worker& worker, const Event& event) {
    Port& out = ports_.at(event.location, event.port);
    out.used[event.channel] -= std::int32_t(event.bytes);
    // One less at each switch, so that ports in a circle do not go on asking each other.
    if (event.target > out.short_trains + 1U) [[unlikely]]
        out.short_trains = std::uint8_t(event.target - 1);
    if (out.queue == no_index || !has_room(out, event.channel)) return;
    if (arbiter_.decides()) {
        if (out.carries_train) let_pass(worker, out, {event.location, event.port}, event.channel);
        if (out.queue != no_index) schedule_arbitration(worker, event.location, event.port);
        return;
    }
    WaitQueues& queues = records_[worker].queues;
    while (has_room(out, event.channel) && queues.holds(out, event.channel))
        transmit_waiting(worker, out, event.port, queues.pop(out, event.channel));
}

/// Sends a packet that has been waiting.
[[gnu::always_inline]] inline void Switching::transmit_waiting(Worker& worker, Port& out,
                                                               std::uint32_t number,
                                                               const WaitingPacket& waiting) {
    const Picoseconds earliest = waiting.packet.head() + parameters_.switch_latency;
    transmit(worker, out, {number, std::uint8_t(waiting.channel)}, {waiting.packet, waiting.tail},
             Passage{.ready = std::max(earliest, worker.now())});
}

}  // namespace tradewind::sim

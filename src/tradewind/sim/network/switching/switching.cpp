/// Arbitration, foresight and sums of Switching.
#include "tradewind/sim/network/switching/switching.hpp"

#include <cstdlib>

#include "tradewind/base/errors.hpp"
#include "tradewind/base/fetch_ahead.hpp"

namespace tradewind::sim {

Switching::Switching(Fabric& fabric, Injection& injection, const Routing& shortest)
    : fabric_(fabric),
      injection_(injection),
      parameters_(fabric.parameters),
      ports_(fabric.topology, fabric.layout),
      reassembly_(fabric, shortest),
      paces_(parameters_),
      arbiter_(parameters_, fabric.layout, ports_.size()),
      trains_(parameters_, ports_.size()),
      is_bounded_(parameters_.switch_buffer > 0),
      observes_packets_(fabric.observe.packet_waits || fabric.journeys != nullptr),
      channel_limit_(
          std::int32_t(buffer_limit(parameters_.switch_buffer, parameters_.packet_size))),
      records_(fabric.schedule.workers(), arbiter_.kept_order(trains_.are_kept())) {
    if (fabric.routing.channels() > max_channels) {
        throw ConfigError(text("routing needs ", fabric.routing.channels(),
                               " virtual channels; ports have ", max_channels));
    }
    if (parameters_.node_model == NodeModel::amm3)
        crossbar_free_.resize(std::size_t(fabric.topology.switches()));
}

/// Records a packet that takes its port after a wait of `waited`, `held` of it for its turn.
void Switching::note_passage(Worker& worker, const Port& out, const Packet& packet,
                             Picoseconds waited, Picoseconds held) {
    if (fabric_.observe.packet_waits) records_[worker].waits.add(waited);
    if (fabric_.journeys == nullptr) return;
    const Location here = packet.location();
    const auto number = std::uint16_t(&out - ports_.of_switch(here));
    fabric_.journeys->passed(packet, {here, number}, held, waited - held);
}

/// Lets the port choose when it becomes free, among the packets that have come in by then.
void Switching::schedule_arbitration(Worker& worker, Location here, std::uint32_t number) {
    Port& out = ports_.at(here, number);
    if (out.ready_pending) return;
    out.ready_pending = true;
    Event event;
    event.kind = std::uint8_t(EventKind::port_ready);
    event.time = std::max(worker.now(), out.next_free - parameters_.switch_latency);
    event.location = here;
    event.port = std::uint16_t(number);
    worker.schedule(event);
}

void Switching::serve(Worker& worker, const Event& event) {
    const std::uint32_t number = event.port;
    Port& out = ports_.at(event.location, number);
    out.ready_pending = false;
    if (out.next_free > worker.now() + parameters_.switch_latency) {
        schedule_arbitration(worker, event.location, number);  // something has passed a train
        return;
    }
    WaitQueues& queues = records_[worker].queues;
    unsigned allowed = 0;
    for (int channel = 0; channel < max_channels; ++channel) {
        const bool room = !joins_switches(number) || has_room(out, channel);
        if (room && queues.holds(out, channel)) allowed |= 1U << channel;
    }
    if (allowed == 0) return;
    const std::size_t index = ports_.layout().port_index(event.location, number);
    const Picoseconds free = worker.now() + parameters_.switch_latency;
    const bool are_mixed = queues.holds_packets(out) && queues.holds_trains(out);
    const auto had_turn = [&](std::uint32_t input) {
        return are_mixed && trains_.had_turn(index, input, free);
    };
    transmit_waiting(worker, out, number,
                     arbiter_.take_turn(queues, out, index, allowed, had_turn));
    for (int channel = 0; channel < max_channels && out.carries_train; ++channel)
        let_pass(worker, out, {event.location, event.port}, channel);
    if (out.queue != no_index) schedule_arbitration(worker, event.location, number);
}

/// Finds the way of a packet that is `ready` past the train that its port sends. A buffer is never
/// full of packets that wait, since credits need some time to come back.
Switching::Passage Switching::find_passage(const Rivals& rivals, const Port& out,
                                           std::uint32_t number, const Packet& packet,
                                           Picoseconds ready) {
    const Location here = packet.location();
    const std::size_t index = ports_.layout().port_index(here, number);
    const std::uint32_t input = trains_.input(index);
    const LinkSpeed& link =
        joins_switches(number) ? parameters_.links[out.link_class] : parameters_.ejection;
    const Picoseconds one = link.rate.time(parameters_.packet_size);
    InputSet trains = rivals.trains;
    trains.add(input);
    const auto pace_from = [&](std::uint32_t from) -> Trains::Pace {
        const bool in_transit = joins_switches(from);
        const Bytes buffer = in_transit ? parameters_.switch_buffer : parameters_.nic_buffer;
        const Picoseconds way_in =
            in_transit ? parameters_.links[ports_.wired(here, from).link_class].latency
                       : parameters_.injection.latency;
        const bool is_limited = is_bounded_ && buffer > 0;
        return {one, is_limited ? link.rate.time(buffer) : INT64_MAX / 128, 2 * way_in};
    };
    const Trains::Pace pace = pace_from(input);
    const double held = double(pace.held(1)) / double(pace_from(packet.input_port()).held(1));
    const PassRate rate = arbiter_.pass_rate(packet, input, trains.size(), held);
    if (!arbiter_.may_pass(rivals, packet, input))
        return {.ready = ready, .is_found = true, .one = one, .rate = rate};
    const Picoseconds credit =
        trains_.start(index) + 2 * (link.latency + one) + parameters_.switch_latency;
    return {.ready = ready,
            .is_found = true,
            .turn = trains_.turn(out, index, packet, ready, rivals.trains, pace, rate),
            .has_credit = ready < credit,
            .one = one,
            .rate = rate};
}

/// Sends those of the waiting packets that may pass the train of their port.
void Switching::let_pass(Worker& worker, Port& out, PortAddress at, int channel) {
    WaitQueues& queues = records_[worker].queues;
    Rivals rivals;
    const auto turn_of = [&](const WaitingPacket& waiting) -> Picoseconds {
        if (waiting.is_train) return INT64_MAX;
        const Packet& packet = waiting.packet;
        const Picoseconds ready =
            std::max(packet.head() + parameters_.switch_latency, worker.now());
        return find_passage(rivals, out, at.port, packet, ready).turn;
    };
    while (out.carries_train && queues.holds_packets(out) && queues.holds(out, channel) &&
           (!joins_switches(at.port) || has_room(out, channel))) {
        rivals = queues.rivals(out);
        const auto waiting = queues.pop_first(out, channel, out.next_free, rivals.oldest, turn_of);
        if (!waiting) return;
        transmit_waiting(worker, out, at.port, *waiting);
    }
}

Output Switching::foresee(const Event& event) noexcept {
    const Packet packet(event);
    const Location here = packet.location();
    const std::uint32_t input = packet.input_port();
    if (is_bounded_) fetch_ahead(&ports_.at(here, input));
    Flight flight = packet.flight(fabric_.switch_of(packet.destination_nic()));
    if (flight.target == SwitchId(here)) {
        Output output(ports_.layout().port_of(here, packet.destination_nic()), 0);
        fetch_ahead(&ports_.at(here, output.port()));
        if (fabric_.routes_are_fixed && !packet.is_last()) return output;
        const Message& message = fabric_.messages[packet.message()];
        fetch_ahead(&message);
        fetch_ahead(&message.source_rank);
        if (!fabric_.routes_are_fixed) output = Output();
        output.mark_delivery();
        return output;
    }
    if (!fabric_.hops_are_fixed) return {};
    const Hop hop =
        fabric_.routing.next(flight, SwitchId(here), joins_switches(input) ? PortId(input) : -1,
                             SwitchOccupancy(ports_.of_switch(here), parameters_, 0));
    const Output output(std::uint32_t(hop.port), hop.channel);
    prefetch_port({here, std::uint16_t(output.port())}, is_train(parameters_, packet.bytes()));
    return packet.has_note_of(flight) ? output : Output();
}

std::int64_t Switching::hops() const noexcept {
    std::int64_t sum = 0;
    for (const auto& own : records_.all()) sum += own->hops.load(std::memory_order_relaxed);
    return sum;
}

Bytes Switching::held_bytes() const noexcept {
    Bytes sum = 0;
    for (std::size_t i = 0; i < ports_.size(); ++i) {
        sum += ports_[i].queued_bytes;
        for (const std::int32_t used : ports_[i].used) sum += std::abs(used);
    }
    return sum;
}

void Switching::merge_into(NetworkReport& report) const {
    reassembly_.merge_into(report);
    for (const auto& own : records_.all()) report.packet_wait.merge(own->waits);
    report.packet_hops = hops();
}

}  // namespace tradewind::sim

/// The ways of messages through the network, through the memory of a node, and past each other.
#include "tradewind/simcomm/messages/messaging.hpp"

#include <algorithm>

#include "tradewind/simcomm/critical_path/critical_path.hpp"

namespace tradewind::simcomm {

namespace {

/// The channel that tells receipts from wake-up calls among the client's events.
constexpr std::uint8_t receipt_channel = 1;

/// Returns the bytes of part `number` of a message.
Bytes part_size(Bytes whole, std::uint32_t number, std::uint32_t parts) {
    return whole * (number + 1) / parts - whole * number / parts;
}

/// The NUMA domains of the two ends of a message within a node, counted over all nodes.
struct NumaPath {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
};

NumaPath numa_path(const SimulationSetup& setup, const sim::Message& message) {
    const auto domains = std::uint32_t(setup.parameters.numa_domains);
    const auto node = message.source_nic / std::uint32_t(setup.parameters.nics_per_node);
    if (domains == 1) return {node, node};
    const auto domain = [&](std::uint32_t rank) {
        return node * domains + std::uint32_t(setup.placement->domain(Rank(rank)));
    };
    return {domain(message.source_rank), domain(message.destination_rank)};
}

/// Sets the fields that the network needs of a message that carries `bytes`.
void prepare(sim::Message& message, Bytes bytes, const sim::NetworkParameters& parameters) {
    message.bytes = bytes > 0 ? bytes : parameters.control_size;
    message.unsent = message.bytes;
    message.undelivered = message.bytes;
    message.arrival = 0;
    message.next = sim::no_message;
    message.packet_size = std::uint32_t(sim::packet_size_of(parameters, message.bytes));
}

}  // namespace

Messaging::Messaging(const SimulationSetup& setup)
    : setup_(setup),
      messages_(setup.network->messages()),
      requests_(setup.schedule.workers()),
      counts_(setup.schedule.workers()) {
    const sim::Schedule& schedule = setup_.schedule;
    if (!setup_.network->keeps_order() || setup_.has_rails) {
        ordering_ = std::make_unique<Ordering>(schedule.workers(), schedule.process(),
                                               schedule.processes());
    }
    if (schedule.group != nullptr) {
        remote_ = std::make_unique<RemoteMessages>(
            schedule, *setup_.placement, setup_.nics_per_switch, messages_, ordering_.get());
    }
}

void Messaging::launch(sim::Worker& worker, sim::MessageId id, MessageKind kind, Picoseconds time) {
    sim::Message& message = messages_[id];
    const bool control = is_control(kind);
    message.kind = std::uint8_t(kind);
    message.flags = control ? sim::control_message : 0;
    if (control && is_answer(kind)) message.flags |= sim::urgent_message;
    if (is_matched(kind)) message.flags |= sim::ordered_message;
    if (message.send_request != none && !control) message.flags |= sim::notify_injected;
    Bytes carried = control ? 0 : message.size;
    if (kind == MessageKind::data && setup_.stripes > 1)
        carried = part_size(message.size, message.signal, parts_of(message));
    prepare(message, carried, setup_.parameters);
    const bool begins = kind != MessageKind::data && !is_answer(kind);
    if (setup_.path != nullptr && begins) [[unlikely]]
        setup_.path->send(message, id);
    if (same_node(message)) {
        send_in_node(worker, id, time);
        return;
    }
    if (ordering_ && is_matched(kind)) ordering_->sent(worker.index(), message);
    setup_.network->send(worker, id, time);
}

/// Cuts the data into one part for each interface of a node, which `signal` numbers. The first part
/// is the message itself, and has the payload.
void Messaging::launch_data(sim::Worker& worker, sim::MessageId id, Picoseconds time) {
    sim::Message& message = messages_[id];
    const std::uint32_t parts = parts_of(message);
    message.signal = 0;
    const std::uint32_t from = message.source_nic / parts * parts;
    const std::uint32_t to = message.destination_nic / parts * parts;
    for (std::uint32_t number = 1; number < parts; ++number) {
        const sim::MessageId other = messages_.take(
            remote_ ? remote_->list(worker, message.destination_nic) : worker.index());
        sim::Message& part = messages_[other];
        static_cast<sim::MessageFields&>(part) = static_cast<const sim::MessageFields&>(message);
        part.signal = std::uint16_t(number);
        if (setup_.path != nullptr) [[unlikely]]
            setup_.path->split(id, other);
        part.source_nic = from + number;
        part.destination_nic = to + number;
        launch(worker, other, MessageKind::data, time);
    }
    if (parts > 1) {
        message.source_nic = from;
        message.destination_nic = to;
    }
    launch(worker, id, MessageKind::data, time);
}

/// Schedules an event at the time of sending, which then copies the message.
void Messaging::send_in_node(sim::Worker& worker, sim::MessageId id, Picoseconds time) {
    sim::Message& message = messages_[id];
    message.start = time;
    sim::Event event;
    event.kind = std::uint8_t(sim::EventKind::arrive);
    event.time = std::max(time, worker.now());
    event.location = location_of(message.source_nic);
    event.port = std::uint16_t(message.source_nic);
    event.target = message.source_rank;
    event.bytes = message.sequence;
    event.message = id;
    worker.schedule(event);
}

/// Copies at the speed `message_memory` if that is known: the receiver copies long messages, which
/// keeps it busy (ReceivePath::copied), and others are copied on their way. The bytes of an eager
/// message cost its ranks two copies, and those of a put may cost its origin one. Memory that is
/// shared bounds all of it: that of both NUMA domains if the ranks are bound to two of them.
NodeCopy Messaging::copy_in_node(const sim::Message& message) {
    const auto& parameters = setup_.parameters;
    const NumaPath path = numa_path(setup_, message);
    const Picoseconds across = path.from == path.to ? 0 : parameters.numa_latency;
    if ((message.flags & sim::control_message) != 0)
        return {message.start, message.start + parameters.control_latency + across};
    const MessageKind kind = kind_of(message);
    const bool by_origin = is_write(kind) && is_copied_by_origin(*this, message);
    const bool is_known = by_origin || parameters.message_memory.ps_per_byte() > 0.0;
    Picoseconds arrived = message.start;
    if (!is_known || parameters.node_model != sim::NodeModel::amm1)
        arrived = setup_.network->use_memory(path.from, message.start, message.size);
    if (path.from != path.to) {
        arrived =
            std::max(arrived, setup_.network->use_memory(path.to, message.start, message.size));
    }
    Picoseconds copied = arrived;
    const bool is_buffered = by_origin || (message.send_request == none && !is_one_sided(kind));
    if (is_known && !is_buffered)
        copied = std::max(copied, message.start + parameters.message_memory.time(message.size));
    const bool by_receiver =
        kind == MessageKind::data && message.size > setup_.ranks.node_eager_limit;
    return {copied, (by_receiver ? arrived : copied) + parameters.memory_latency + across};
}

/// Tells the source that the message was matched, by an event that costs no simulated time of any
/// rank.
void Messaging::send_receipt(sim::Worker& worker, const sim::Message& message,
                             Picoseconds time) const {
    sim::Event event;
    event.kind = std::uint8_t(sim::EventKind::client);
    event.channel = receipt_channel;
    event.time = std::max(time, worker.now()) + setup_.schedule.width;
    event.location = location_of(message.source_nic);
    event.port = std::uint16_t(message.source_nic);
    event.target = message.source_rank;
    event.bytes = message.sequence;
    event.message = message.ticket;
    event.note = message.after;
    worker.schedule(event);
}

bool Messaging::take_receipt(const sim::Worker& worker, const sim::Event& event) {
    if (event.channel != receipt_channel) return false;
    ordering_->receipt(worker.index(), event.message, event.note);
    return true;
}

void Messaging::add_to(RunTotals& totals) const {
    for (const auto& own : counts_.all()) {
        totals.messages += own->messages;
        totals.bytes += own->bytes;
    }
}

}  // namespace tradewind::simcomm

/// AnalyticNetwork: LogGOPS. Messages travel whole; interfaces take turns (g, G), and nothing else
/// is shared.
///
/// Sender: starts at t >= next free time of its interface, which then is t + g + (s-1) G. The head
/// arrives at t + L. Receiver: takes it at r >= its own next free time, has it at r + (s-1) G, is
/// free again at r + g + (s-1) G. (Hoefler, Schneider, Lumsdaine 2010; o, O and S belong to the
/// ranks.)
///
/// A receiver does not keep the request or the answer of a rendezvous waiting, and an answer does
/// not wait for its sender's interface either: they pass between the packets of long messages, as
/// they do in PacketNetwork. They take the time of their bytes from the interfaces all the same.
#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

#include "tradewind/base/fetch_ahead.hpp"
#include "tradewind/sim/kernel/per_worker.hpp"
#include "tradewind/sim/network/contention_free.hpp"
#include "tradewind/sim/network/journey_log.hpp"
#include "tradewind/sim/network/network.hpp"
#include "tradewind/sim/network/node_memory.hpp"
#include "tradewind/sim/observe/observer.hpp"

namespace tradewind::sim {

namespace {

class AnalyticNetwork final : public Network {
public:
    explicit AnalyticNetwork(NetworkSetup setup);

    void send(Worker& worker, MessageId id, Picoseconds time) override;
    Picoseconds use_memory(std::uint32_t domain, Picoseconds time, Bytes bytes) override {
        return memory_.use_domain(domain, time, bytes);
    }
    void run(Client& client, const Progress& progress) override;
    [[nodiscard]] MessagePool& messages() noexcept override { return messages_; }
    [[nodiscard]] NetworkReport report(Picoseconds end) const override;
    [[nodiscard]] bool keeps_order() const noexcept override { return true; }

    [[nodiscard]] std::int64_t work_done() const noexcept override;

    void seed(Worker& worker) { client_->seed(worker); }
    void receive(Worker& worker, std::span<const std::byte> payload) {
        client_->receive(worker, payload);
    }
    void handle(Worker& worker, const Event& event, std::uint32_t foreseen);
    [[nodiscard]] std::uint32_t foresee(const Event& event) noexcept {
        fetch_ahead(&messages_[event.message]);
        if (EventKind(event.kind) == EventKind::enqueue ||
            EventKind(event.kind) == EventKind::packet)
            fetch_ahead(&interfaces_[std::size_t(event.location) * nics_per_switch_ + event.port]);
        return 0;
    }
    void prefetch(const Worker& /*worker*/, const Event& event, std::uint32_t /*foreseen*/,
                  int stage) noexcept {
        if (EventKind(event.kind) == EventKind::packet) client_->prefetch(event.message, stage);
    }

private:
    struct Interface {
        Picoseconds send_free = 0;
        Picoseconds receive_free = 0;
        /// The arrival of the last message that must not be overtaken.
        Picoseconds ordered = 0;
        Bytes bytes = 0;
    };
    struct alignas(64) ArrivalRecord {
        explicit ArrivalRecord(const ObserveParameters& parameters) : observer(parameters) {}
        Observer observer;
        /// A count that only its worker writes. The worker that reports progress reads it.
        std::atomic<std::int64_t> arrived{0};
    };

    void start(Worker& worker, const Event& event);
    void arrive(Worker& worker, const Event& event);
    void note_arrival(const Event& event, Picoseconds waited);
    [[nodiscard]] Picoseconds flight_time(const Message& message) const;
    [[nodiscard]] Location location_of(std::uint32_t nic) const noexcept {
        return nic / nics_per_switch_;
    }
    [[nodiscard]] Picoseconds body_time(const Message& message) const {
        return parameters_.flight_rate.time(message.bytes - 1);
    }

    const Topology& topology_;
    NetworkParameters parameters_;
    ContentionFree contention_free_;
    Schedule schedule_;
    Client* client_ = nullptr;
    std::uint32_t nics_per_switch_;
    std::vector<Interface> interfaces_;
    NodeMemory memory_;
    MessagePool messages_;
    PerWorker<ArrivalRecord> records_;
    JourneyLog* journeys_;
    std::int64_t events_ = 0;
    std::int64_t windows_ = 0;
};

AnalyticNetwork::AnalyticNetwork(NetworkSetup setup)
    : topology_(*setup.topology),
      parameters_(std::move(setup.parameters)),
      contention_free_(*setup.topology, *setup.shortest, parameters_, true),
      schedule_(std::move(setup.schedule)),
      nics_per_switch_(std::uint32_t(topology_.nodes_per_switch() * parameters_.nics_per_node)),
      interfaces_(std::size_t(topology_.terminal_switches()) * nics_per_switch_),
      memory_(parameters_, topology_.nodes()),
      messages_(make_message_pool(schedule_)),
      records_(schedule_.workers(), setup.observe),
      journeys_(setup.journeys) {}

void AnalyticNetwork::send(Worker& worker, MessageId id, Picoseconds time) {
    const Message& message = messages_[id];
    const Event event =
        enqueue_event(id, message, std::max(time, worker.now()), location_of(message.source_nic),
                      message.source_nic % nics_per_switch_);
    worker.schedule(event);
}

void AnalyticNetwork::handle(Worker& worker, const Event& event, std::uint32_t /*foreseen*/) {
    switch (EventKind(event.kind)) {
        case EventKind::enqueue:
            start(worker, event);
            break;
        case EventKind::packet:
            arrive(worker, event);
            break;
        default:
            client_->client_event(worker, event);
    }
}

Picoseconds AnalyticNetwork::flight_time(const Message& message) const {
    if (parameters_.flight_latency > 0) return parameters_.flight_latency;
    Message empty;
    empty.packet_size = 1;
    return contention_free_.time(empty, SwitchId(location_of(message.source_nic)),
                                 SwitchId(location_of(message.destination_nic)),
                                 NodeId(message.destination_nic) / parameters_.nics_per_node);
}

void AnalyticNetwork::start(Worker& worker, const Event& event) {
    Message& message = messages_[event.message];
    Interface& interface = interfaces_[message.source_nic];
    const bool is_urgent = (message.flags & urgent_message) != 0;
    const Picoseconds turn = std::max(event.time, interface.send_free);
    message.start = is_urgent ? event.time : turn;
    const Picoseconds body = body_time(message);
    interface.send_free = turn + parameters_.message_gap + body;
    if (journeys_ != nullptr) journeys_->started(event.message, message.start);
    interface.bytes += message.bytes;
    Event arrival = event;
    arrival.kind = std::uint8_t(EventKind::packet);
    arrival.time = message.start + flight_time(message);
    arrival.location = location_of(message.destination_nic);
    arrival.port = std::uint16_t(message.destination_nic % nics_per_switch_);
    if (schedule_.group != nullptr && !schedule_.is_here(arrival.location))
        client_->departs(worker, event.message);
    if ((message.flags & notify_injected) != 0)
        client_->injected(worker, event.message, message.start + body);
    worker.schedule(arrival);
}

void AnalyticNetwork::arrive(Worker& worker, const Event& event) {
    Message& message = messages_[event.message];
    Interface& interface = interfaces_[message.destination_nic];
    const Picoseconds body = body_time(message);
    const Picoseconds begin = std::max(event.time, interface.receive_free);
    interface.receive_free = begin + parameters_.message_gap + body;
    const bool is_control = (message.flags & control_message) != 0;
    message.arrival = (is_control ? event.time : begin) + body;
    if (journeys_ != nullptr) note_arrival(event, begin - event.time);
    if ((message.flags & ordered_message) != 0) {
        message.arrival = std::max(message.arrival, interface.ordered);
        interface.ordered = message.arrival;
    }
    if (!is_control) {
        const Picoseconds alone = flight_time(message) + body;
        ArrivalRecord& own = records_[worker];
        own.observer.delivered(message, alone, alone);
        own.arrived.store(own.arrived.load(std::memory_order_relaxed) + 1,
                          std::memory_order_relaxed);
    }
    client_->delivered(worker, event.message, message.arrival);
}

/// Records a message that waited for its receiver, which is the port behind those of the switch.
void AnalyticNetwork::note_arrival(const Event& event, Picoseconds waited) {
    const Message& message = messages_[event.message];
    Journey& journey = journeys_->of(event.message);
    journey.alone = flight_time(message) + body_time(message);
    if (waited == 0 || (message.flags & control_message) != 0) return;
    const auto port = std::uint16_t(topology_.radix() + event.port);
    journey.waits.push_back({{event.location, port}, waited, 0});
}

void AnalyticNetwork::run(Client& client, const Progress& progress) {
    client_ = &client;
    Engine<AnalyticNetwork> engine(*this, schedule_);
    engine.run(progress);
    events_ = engine.events();
    windows_ = engine.windows();
}

std::int64_t AnalyticNetwork::work_done() const noexcept {
    std::int64_t sum = 0;
    for (const auto& own : records_.all()) sum += own->arrived.load(std::memory_order_relaxed);
    return sum;
}

NetworkReport AnalyticNetwork::report(Picoseconds end) const {
    NetworkReport result;
    for (const auto& own : records_.all()) own->observer.merge_into(result);
    result.events = events_;
    result.windows = windows_;
    const auto nic = [&](Location location) {
        return std::min(std::size_t(location) * nics_per_switch_, interfaces_.size());
    };
    const std::size_t first = nic(schedule_.begin_location());
    const std::size_t last = nic(schedule_.end_location());
    result.memory_bytes = (last - first) * sizeof(Interface) + messages_.reserved();
    LinkClassReport injection{"injection", false, parameters_.flight_rate.ps_per_byte()};
    injection.links = std::int64_t(last - first);
    const double span = end > 0 ? 1.0 / double(end) : 0.0;
    for (std::size_t i = first; i < last; ++i) {
        const double used = double(interfaces_[i].bytes) * injection.ps_per_byte * span;
        injection.bytes += interfaces_[i].bytes;
        injection.utilisation_max = std::max(injection.utilisation_max, used);
    }
    result.links.push_back(injection);
    if (memory_.is_shared()) {
        const auto nics = std::size_t(parameters_.nics_per_node);
        result.links.push_back(memory_.load(NodeId(first / nics), NodeId(last / nics), span));
    }
    return result;
}

}  // namespace

std::unique_ptr<Network> make_analytic_network(NetworkSetup setup) {
    return std::make_unique<AnalyticNetwork>(std::move(setup));
}

}  // namespace tradewind::sim

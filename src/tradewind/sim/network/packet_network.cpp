/// The engine's loop over the events of a PacketNetwork, and its report.
#include "tradewind/sim/network/packet_network.hpp"

#include "tradewind/sim/network/load_report.hpp"

namespace tradewind::sim {

PacketNetwork::PacketNetwork(const NetworkSetup& setup)
    : fabric_(setup),
      switching_(fabric_, injection_, *setup.shortest),
      injection_(fabric_, switching_.ports()) {}

[[gnu::always_inline]] inline void PacketNetwork::handle(Worker& worker, const Event& event,
                                                         std::uint32_t foreseen) {
    switch (EventKind(event.kind)) {
        case EventKind::packet:
            switching_.receive(worker, event, Output(foreseen));
            break;
        case EventKind::credit:
            switching_.take_credit(worker, event);
            break;
        case EventKind::nic_credit:
            if (injection_.take_credit(event)) inject(worker, event);
            break;
        case EventKind::inject:
            inject(worker, event);
            break;
        case EventKind::enqueue:
            if (injection_.enqueue(worker, event)) inject(worker, event);
            break;
        case EventKind::port_ready:
            switching_.serve(worker, event);
            break;
        case EventKind::arrive:
        case EventKind::client:
            fabric_.client->client_event(worker, event);
            break;
    }
}

/// Sends one packet if the interface of the event may, and arranges for the next one.
void PacketNetwork::inject(Worker& worker, const Event& event) {
    const PortAddress nic{event.location, event.port};
    if (EventKind(event.kind) == EventKind::inject && event.channel == interruption) {
        std::optional<Arrival> arrival = injection_.interrupting_packet(worker, nic);
        if (arrival) switching_.arrive(worker, *arrival, Output());
        return;
    }
    std::optional<Arrival> arrival = injection_.next_packet(worker, nic);
    if (!arrival) return;
    switching_.arrive(worker, *arrival, Output());
    injection_.schedule_next(worker, nic);
}

inline std::uint32_t PacketNetwork::foresee(const Event& event) noexcept {
    switch (EventKind(event.kind)) {
        case EventKind::packet:
            return switching_.foresee(event).word();
        case EventKind::credit:
        case EventKind::port_ready:
            switching_.prefetch_port({event.location, event.port}, false);
            break;
        case EventKind::inject:
        case EventKind::enqueue:
        case EventKind::nic_credit:
            injection_.foresee(event);
            break;
        case EventKind::arrive:
        case EventKind::client:
            break;
    }
    return Output().word();
}

inline void PacketNetwork::prefetch(const Worker& worker, const Event& event,
                                    std::uint32_t foreseen, int stage) noexcept {
    const EventKind kind = EventKind(event.kind);
    if (kind == EventKind::inject || kind == EventKind::enqueue || kind == EventKind::nic_credit) {
        if (const auto first = injection_.prefetch(event, stage))
            switching_.prefetch_port({event.location, *first}, true);
    } else if (kind == EventKind::credit) {
        switching_.prefetch_waiting(worker, event, stage);
    } else if (Output(foreseen).delivers()) {
        fabric_.client->prefetch(event.message, stage);
    }
}

void PacketNetwork::run(Client& client, const Progress& progress) {
    fabric_.client = &client;
    Engine<PacketNetwork> engine(*this, fabric_.schedule);
    engine.run(progress);
    events_ = engine.events();
    windows_ = engine.windows();
}

NetworkReport PacketNetwork::report(Picoseconds end) const {
    NetworkReport result;
    switching_.merge_into(result);
    result.packets = injection_.packets();
    result.events = events_;
    result.windows = windows_;
    const std::size_t ports = fabric_.layout.port_index(fabric_.end - fabric_.begin, 0);
    result.memory_bytes = ports * sizeof(Port) +
                          fabric_.own_nics() * (sizeof(Nic) + sizeof(LoadCounter)) +
                          fabric_.messages.reserved();
    report_loads(result, fabric_, switching_.ports(), injection_, end);
    return result;
}

std::unique_ptr<Network> make_packet_network(NetworkSetup setup) {
    return std::make_unique<PacketNetwork>(setup);
}

}  // namespace tradewind::sim

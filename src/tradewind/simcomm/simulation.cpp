/// Protocols between ranks, and the run from the first rank's start to the last one's end.
#include "tradewind/simcomm/simulation.hpp"

#include <algorithm>
#include <cstring>
#include <tuple>

#include "tradewind/base/errors.hpp"
#include "tradewind/base/random.hpp"

namespace tradewind::simcomm {

namespace {

/// Tells receipts from wake-up calls among the client's events.
constexpr std::uint8_t receipt_channel = 1;

}  // namespace

Simulation::Simulation(const SimulationSetup& setup)
    : setup_(setup),
      messages_(&setup.network->messages()),
      requests_(setup.schedule.workers()),
      size_(std::size_t(setup.placement->ranks())),
      marked_(
          std::size_t(std::min<std::int64_t>(setup.placement->ranks(), setup.timeline_records))),
      ranks_(std::make_unique<SimRank[]>(size_)) {
    for (int i = 0; i < setup_.schedule.workers(); ++i)
        per_worker_.push_back(std::make_unique<PerWorker>());
    if (!setup_.network->keeps_order())
        ordering_ = std::make_unique<Ordering>(setup_.schedule.workers());
    const auto& bounds = setup_.schedule.bounds;
    for (std::size_t r = 0; r < size_; ++r) {
        const std::uint32_t nic = setup_.placement->nic(Rank(r));
        const auto owner = std::ranges::upper_bound(bounds, location_of(nic)) - bounds.begin() - 1;
        ranks_[r].place(*this, Rank(r), Rank(size_), per_worker_[std::size_t(owner)]->strand, nic);
    }
}

RunResult Simulation::run(const Program& program, const RunProgress& progress) {
    program_ = &program;
    sim::Progress report;
    if (progress)
        report = [&](Picoseconds time) {
            return progress(finished_ranks(), setup_.network->packet_hops(), time);
        };
    setup_.network->run(*this, report);
    check_finished();
    return result();
}

void Simulation::seed(sim::Worker& worker) {
    const Strand* const own = &per_worker_[std::size_t(worker.index())]->strand;
    for (std::size_t r = 0; r < size_; ++r) {
        if (&ranks_[r].strand() == own) ranks_[r].start(worker, (*program_)(ranks_[r]));
    }
}

bool Simulation::same_node(const sim::Message& message) const noexcept {
    const auto nics = std::uint32_t(setup_.parameters.nics_per_node);
    return nics == 1 ? message.source_nic == message.destination_nic
                     : message.source_nic / nics == message.destination_nic / nics;
}

void Simulation::prepare(sim::Message& message, Bytes bytes) const {
    const auto& parameters = setup_.parameters;
    message.bytes = bytes > 0 ? bytes : parameters.control_size;
    message.unsent = message.bytes;
    message.undelivered = message.bytes;
    message.arrival = 0;
    message.next = sim::no_message;
    Bytes packet = parameters.packet_size;
    if (parameters.trains_per_message > 0) {
        const Bytes train = message.bytes / parameters.trains_per_message;
        packet = std::max(
            packet, std::min((train + packet - 1) / packet * packet, parameters.largest_train));
    }
    message.packet_size = std::uint32_t(packet);
}

void Simulation::launch(sim::Worker& worker, sim::MessageId id, Phase phase, Picoseconds time) {
    sim::Message& message = messages()[id];
    const bool control = phase == Phase::request_to_send || phase == Phase::clear_to_send;
    message.phase = std::uint8_t(phase);
    message.flags = control ? sim::control_message : 0;
    if (phase == Phase::clear_to_send) message.flags |= sim::urgent_message;
    if (message.send_request != none && !control) message.flags |= sim::notify_injected;
    prepare(message, control ? 0 : message.size);
    if (same_node(message)) {
        intra_node(worker, id, time);
        return;
    }
    const bool is_matched =
        phase == Phase::eager || phase == Phase::ready || phase == Phase::request_to_send;
    if (ordering_ && is_matched) ordering_->sent(worker.index(), message);
    setup_.network->send(worker, id, time);
}

/// Through the node's memory: an event at the time of sending, then one copy.
void Simulation::intra_node(sim::Worker& worker, sim::MessageId id, Picoseconds time) {
    sim::Message& message = messages()[id];
    message.start = time;
    sim::Event event;
    event.kind = std::uint8_t(sim::Kind::arrive);
    event.time = std::max(time, worker.now());
    event.location = location_of(message.source_nic);
    event.port = std::uint16_t(message.source_nic);
    event.target = message.source_rank;
    event.bytes = message.sequence;
    event.message = id;
    worker.schedule(event);
}

void Simulation::prefetch(sim::MessageId id, int stage) noexcept {
    const sim::Message& message = messages()[id];
    const bool returns = Phase(message.phase) == Phase::clear_to_send;
    SimRank& rank = ranks_[returns ? message.source_rank : message.destination_rank];
    if (stage == 1) {
        for (std::size_t at = 0; at < sizeof(SimRank); at += 64) {
            __builtin_prefetch(reinterpret_cast<const std::byte*>(&rank) + at);
        }
    } else {
        rank.prefetch(requests_, message);
    }
}

void Simulation::client_event(sim::Worker& worker, const sim::Event& event) {
    if (sim::Kind(event.kind) == sim::Kind::client) {
        if (event.channel == receipt_channel) {
            ordering_->receipt(worker.index(), event.message, event.note);
        } else {
            ranks_[event.target].wake(event);
        }
        return;
    }
    copied_in_node(worker, event.message);
}

/// Where `message_memory` is known, it is the speed of what is copied once: of long messages by the
/// receiver, whom it keeps busy (SimRank::overhead_of), of others on their way. The bytes of an
/// eager message cost its ranks two copies. Memory that is shared bounds all of it.
void Simulation::copied_in_node(sim::Worker& worker, sim::MessageId id) {
    const auto& parameters = setup_.parameters;
    const sim::Message& message = messages()[id];
    if ((message.flags & sim::control_message) != 0) {
        delivered(worker, id, message.start + parameters.control_latency);
        return;
    }
    const bool is_known = parameters.message_memory.ps_per_byte() > 0.0;
    Picoseconds arrived = message.start;
    if (!is_known || parameters.node_model != sim::NodeModel::amm1)
        arrived = setup_.network->use_memory(message.source_nic, message.start, message.size);
    Picoseconds copied = arrived;
    const bool is_buffered = message.send_request == none && Phase(message.phase) != Phase::put;
    if (is_known && !is_buffered)
        copied = std::max(copied, message.start + parameters.message_memory.time(message.size));
    const bool by_receiver =
        Phase(message.phase) == Phase::data && message.size > setup_.ranks.node_eager_limit;
    if (!by_receiver) arrived = copied;
    if ((message.flags & sim::notify_injected) != 0) injected(worker, id, copied);
    delivered(worker, id, arrived + parameters.memory_latency);
}

void Simulation::clear_to_send(sim::Worker& worker, sim::MessageId id, std::uint32_t request,
                               Picoseconds time) {
    sim::Message& message = messages()[id];
    message.receive_request = request;
    std::swap(message.source_nic, message.destination_nic);
    launch(worker, id, Phase::clear_to_send, time);
}

void Simulation::injected(sim::Worker& /*worker*/, sim::MessageId id, Picoseconds time) {
    const sim::Message& message = messages()[id];
    ranks_[message.source_rank].complete(message.send_request, time);
}

void Simulation::delivered(sim::Worker& worker, sim::MessageId id, Picoseconds time) {
    sim::Message& message = messages()[id];
    SimRank& destination = ranks_[message.destination_rank];
    switch (Phase(message.phase)) {
        case Phase::eager:
        case Phase::ready:
        case Phase::request_to_send:
            arrived(worker, id, time);
            break;
        case Phase::clear_to_send:
            std::swap(message.source_nic, message.destination_nic);
            launch(worker, id, Phase::data, time);
            break;
        case Phase::data: {
            const std::uint32_t request = message.receive_request;
            const RequestRecord& record = requests_[request];
            if (message.payload && record.data != nullptr) {
                std::memcpy(record.data, message.payload.get(), std::size_t(message.size));
            }
            messages().give(worker.index(), id);
            destination.complete(request, time);
            break;
        }
        case Phase::put:
            destination.put_arrived(id, time);
            break;
    }
}

void Simulation::arrived(sim::Worker& worker, sim::MessageId id, Picoseconds time) {
    const bool is_ordered = messages()[id].ticket != 0;
    if (is_ordered && !ordering_->is_next(id, messages()[id])) {
        messages()[id].arrival = time;
        return;
    }
    while (id != sim::no_message) {
        sim::Message& message = messages()[id];
        time = std::max(time, message.arrival);
        sim::MessageId held = sim::no_message;
        if (is_ordered) {
            held = ordering_->close(message.ticket);
            send_receipt(worker, message, time);
        }
        ranks_[message.destination_rank].message_arrived(id, time);
        id = held;
    }
}

/// Tells the source that the message was matched, by an event that costs no simulated time of any
/// rank.
void Simulation::send_receipt(sim::Worker& worker, const sim::Message& message,
                              Picoseconds time) const {
    sim::Event event;
    event.kind = std::uint8_t(sim::Kind::client);
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

std::int32_t Simulation::phase_index(const sim::Worker& worker, const char* name) {
    auto& phases = per_worker_[std::size_t(worker.index())]->phases;
    const auto found = std::ranges::find(phases, name, &PhaseRecord::name);
    if (found != phases.end()) return std::int32_t(found - phases.begin());
    phases.push_back({name});
    return std::int32_t(phases.size()) - 1;
}

void Simulation::add_phase(const sim::Worker& worker, Rank rank, std::int32_t phase,
                           Picoseconds begin, Picoseconds end) {
    auto& own = *per_worker_[std::size_t(worker.index())];
    own.phases[std::size_t(phase)].add(begin, end);
    const auto most = std::max<std::int64_t>(setup_.timeline_records / std::int64_t(size_), 1);
    if (std::size_t(rank) < marked_.size() && marked_[std::size_t(rank)]++ < most)
        own.marks.push_back({std::uint32_t(rank), phase, begin, end});
}

void Simulation::count_message(const sim::Worker& worker, Bytes bytes) {
    auto& own = *per_worker_[std::size_t(worker.index())];
    ++own.messages;
    own.bytes += bytes;
}

void Simulation::finished(const sim::Worker& worker) {
    per_worker_[std::size_t(worker.index())]->finished.fetch_add(1, std::memory_order_relaxed);
}

std::int64_t Simulation::finished_ranks() const {
    std::int64_t sum = 0;
    for (const auto& own : per_worker_) sum += own->finished.load(std::memory_order_relaxed);
    return sum;
}

void Simulation::check_finished() {
    const std::int64_t waiting = std::int64_t(size_) - finished_ranks();
    if (waiting == 0) return;
    std::string message =
        text("deadlock: ", waiting, " of ", size_, " ranks wait and nothing is under way");
    int named = 0;
    for (std::size_t r = 0; r < size_ && named < 8; ++r) {
        if (ranks_[r].is_finished()) continue;
        message += text(named == 0 ? ": " : "; ", "rank ", r, " waits for ", ranks_[r].waits_for());
        ++named;
    }
    if (waiting > named) message += text("; and ", waiting - named, " more");
    throw DeadlockError(message);
}

RunResult Simulation::result() const {
    RunResult result;
    for (std::size_t r = 0; r < size_; ++r) {
        result.time = std::max(result.time, ranks_[r].now());
        result.hash += mix(r, std::uint64_t(ranks_[r].now()));
    }
    for (const auto& own : per_worker_) {
        result.messages += own->messages;
        result.bytes += own->bytes;
        result.frame_bytes += own->strand.arena.reserved();
    }
    merge_phases(result);
    result.network = setup_.network->report(result.time);
    result.memory_bytes = result.frame_bytes + size_ * sizeof(SimRank) + requests_.reserved() +
                          result.network.memory_bytes;
    return result;
}

/// Phases of the same name become one, in the order in which they began.
void Simulation::merge_phases(RunResult& result) const {
    auto& phases = result.phases;
    for (const auto& own : per_worker_) {
        for (const PhaseRecord& phase : own->phases) {
            const auto found = std::ranges::find(phases, phase.name, &PhaseRecord::name);
            if (found == phases.end()) {
                phases.push_back(phase);
            } else {
                found->merge(phase);
            }
        }
    }
    std::ranges::sort(phases, {},
                      [](const PhaseRecord& phase) { return std::tie(phase.first, phase.name); });
    for (const auto& own : per_worker_) {
        for (PhaseMark mark : own->marks) {
            const auto& name = own->phases[std::size_t(mark.phase)].name;
            mark.phase =
                std::int32_t(std::ranges::find(phases, name, &PhaseRecord::name) - phases.begin());
            result.marks.push_back(mark);
        }
    }
    std::ranges::sort(result.marks, {}, [](const PhaseMark& mark) {
        return std::tuple(mark.begin, mark.rank, mark.end);
    });
}

}  // namespace tradewind::simcomm

/// Protocols between ranks, and the run from the first rank's start to the last one's end.
#include "tradewind/simcomm/simulation.hpp"

#include <algorithm>
#include <cstring>
#include <tuple>

#include "tradewind/base/errors.hpp"
#include "tradewind/base/fetch_ahead.hpp"
#include "tradewind/base/random.hpp"
#include "tradewind/simcomm/joint.hpp"
#include "tradewind/simcomm/phase.hpp"
#include "tradewind/simcomm/waiting_ranks.hpp"

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
      ranks_(size_) {
    const sim::Schedule& schedule = setup_.schedule;
    for (int i = 0; i < schedule.workers(); ++i)
        per_worker_.push_back(std::make_unique<PerWorker>());
    if (!setup_.network->keeps_order()) {
        ordering_ = std::make_unique<Ordering>(schedule.workers(), schedule.process(),
                                               schedule.processes());
    }
    if (schedule.transport != nullptr) {
        crossing_ = std::make_unique<Crossing>(schedule, *setup_.placement, setup_.nics_per_switch,
                                               *messages_, ordering_.get());
    }
    const int first = schedule.first_worker();
    for (std::size_t r = 0; r < size_; ++r) {
        const std::uint32_t nic = setup_.placement->nic(Rank(r));
        const int owner = schedule.owner(location_of(nic)) - first;
        if (owner < 0 || owner >= schedule.workers()) continue;
        ranks_.make(r).place(*this, Rank(r), Rank(size_), per_worker_[std::size_t(owner)]->strand,
                             nic);
    }
}

RunResult Simulation::run(const Program& program, const RunProgress& progress) {
    program_ = &program;
    together(setup_.schedule.transport,
             [&] { setup_.network->run(*this, progress ? reporter(progress) : sim::Progress{}); });
    check_finished();
    return result();
}

/// The first process reports for all; the others tell it how far they are.
sim::Progress Simulation::reporter(const RunProgress& progress) {
    return [&](Picoseconds time) {
        Crossing::Counts counts{finished_ranks(), setup_.network->work_done()};
        if (crossing_ && setup_.schedule.process() > 0) crossing_->tell(*first_worker_, counts);
        if (crossing_) {
            const Crossing::Counts others = crossing_->others();
            counts.finished += others.finished;
            counts.work += others.work;
        }
        return progress(counts.finished, counts.work, time);
    };
}

void Simulation::seed(sim::Worker& worker) {
    if (worker.index() == 0) first_worker_ = &worker;
    const Strand* const own = &per_worker_[std::size_t(worker.index())]->strand;
    ranks_.for_each([&](std::size_t /*number*/, SimRank& rank) {
        if (&rank.strand() == own) rank.start(worker, (*program_)(rank));
    });
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
    const bool control = is_control(phase);
    message.phase = std::uint8_t(phase);
    message.flags = control ? sim::control_message : 0;
    if (phase == Phase::clear_to_send) message.flags |= sim::urgent_message;
    if (is_matched(phase)) message.flags |= sim::ordered_message;
    if (message.send_request != none && !control) message.flags |= sim::notify_injected;
    prepare(message, control ? 0 : message.size);
    if (same_node(message)) {
        intra_node(worker, id, time);
        return;
    }
    if (ordering_ && is_matched(phase)) ordering_->sent(worker.index(), message);
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
            fetch_ahead(reinterpret_cast<const std::byte*>(&rank) + at);
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
            give_message(worker, id);
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
    auto& phases = per_worker_[std::size_t(worker.index())]->log.phases;
    const auto found = std::ranges::find(phases, name, &PhaseRecord::name);
    if (found != phases.end()) return std::int32_t(found - phases.begin());
    phases.push_back({{}, name});
    return std::int32_t(phases.size()) - 1;
}

void Simulation::add_phase(const sim::Worker& worker, Rank rank, std::int32_t phase,
                           Picoseconds begin, Picoseconds end) {
    PhaseLog& log = per_worker_[std::size_t(worker.index())]->log;
    log.phases[std::size_t(phase)].add(begin, end);
    const auto most = std::max<std::int64_t>(setup_.timeline_records / std::int64_t(size_), 1);
    if (std::size_t(rank) < marked_.size() && marked_[std::size_t(rank)]++ < most)
        log.marks.push_back({std::uint32_t(rank), phase, begin, end});
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

void Simulation::check_finished() const {
    WaitingRanks waiting;
    if (ranks_.made() > std::size_t(finished_ranks())) {
        ranks_.for_each([&](std::size_t number, const SimRank& rank) {
            if (!rank.is_finished()) waiting.add(number, rank.waits_for());
        });
    }
    if (setup_.schedule.transport != nullptr) waiting.join(*setup_.schedule.transport);
    if (waiting.count() > 0) throw DeadlockError(waiting.complaint(size_));
}

RunTotals Simulation::totals() const {
    RunTotals totals;
    ranks_.for_each([&](std::size_t number, const SimRank& rank) {
        totals.time = std::max(totals.time, rank.now());
        totals.hash += mix(number, std::uint64_t(rank.now()));
    });
    for (const auto& own : per_worker_) {
        totals.messages += own->messages;
        totals.bytes += own->bytes;
    }
    return totals;
}

RunResult Simulation::result() const {
    RunResult result;
    sim::Transport* const transport = setup_.schedule.transport;
    static_cast<RunTotals&>(result) = transport ? sum(*transport, totals()) : totals();
    std::vector<PhaseLog> logs;
    for (const auto& own : per_worker_) {
        logs.push_back(own->log);
        result.frame_bytes += own->strand.arena.reserved();
    }
    static_cast<PhaseLog&>(result) = join(logs);
    result.network = setup_.network->report(result.time);
    result.memory_bytes = result.frame_bytes + ranks_.made() * sizeof(SimRank) +
                          requests_.reserved() + result.network.memory_bytes;
    if (transport != nullptr) join_processes(*transport, result);
    sim::complete(result.network, result.time);
    return result;
}

}  // namespace tradewind::simcomm

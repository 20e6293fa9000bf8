/// The events of the network for the ranks, and the run from the first rank's start to the last
/// one's end.
#include "tradewind/simcomm/simulation.hpp"

#include <algorithm>

#include "tradewind/base/errors.hpp"
#include "tradewind/base/fetch_ahead.hpp"
#include "tradewind/base/interrupts.hpp"
#include "tradewind/base/random.hpp"
#include "tradewind/simcomm/joint.hpp"
#include "tradewind/simcomm/messages/rendezvous.hpp"
#include "tradewind/simcomm/waiting_ranks.hpp"

namespace tradewind::simcomm {

Simulation::Simulation(const SimulationSetup& setup)
    : setup_(setup),
      services_{Messaging(setup_),
                RunLog(setup.schedule.workers(), setup.placement->ranks(), setup.timeline_records)},
      frames_(setup.schedule.workers()),
      ranks_(std::size_t(setup.placement->ranks())) {
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
        check_interrupts(64);
        const auto rank = Rank(r);
        const int owner = worker_of(rank);
        if (owner < 0 || owner >= setup_.schedule.workers()) continue;
        ranks_.make(r, services_, rank, Rank(ranks_.size()), frames_.at(owner).coroutines);
    }
}

RunResult Simulation::run(const Program& program, const RunProgress& progress) {
    program_ = &program;
    run_collectively(setup_.schedule.group, [&] {
        setup_.network->run(*this, progress ? reporter(progress) : sim::Progress{});
    });
    check_finished();
    return result();
}

/// Returns a function by which the first process reports for all. The others tell it how far they
/// are.
sim::Progress Simulation::reporter(const RunProgress& progress) {
    return [&](Picoseconds time) {
        RemoteMessages::Counts counts{services_.log.finished_ranks(), setup_.network->work_done()};
        if (RemoteMessages* const remote = services_.messaging.remote(); remote != nullptr) {
            if (setup_.schedule.process() > 0) remote->report(*first_worker_, counts);
            const RemoteMessages::Counts others = remote->others();
            counts.finished += others.finished;
            counts.work += others.work;
        }
        return progress(counts.finished, counts.work, time);
    };
}

void Simulation::seed(sim::Worker& worker) {
    if (worker.index() == 0) first_worker_ = &worker;
    const CoroutineContext* const own = &frames_[worker].coroutines;
    ranks_.for_each([&](std::size_t /*number*/, SimRank& rank) {
        check_interrupts(64);
        if (&rank.coroutines() == own) rank.start(worker, (*program_)(rank));
    });
}

void Simulation::prefetch(sim::MessageId id, int stage) noexcept {
    const sim::Message& message = services_.messaging.messages()[id];
    const bool returns = is_answer(kind_of(message));
    SimRank& rank = ranks_[returns ? message.source_rank : message.destination_rank];
    if (stage == 1) {
        for (std::size_t at = 0; at < sizeof(SimRank); at += 64) {
            fetch_ahead(reinterpret_cast<const std::byte*>(&rank) + at);
        }
    } else {
        rank.prefetch(services_.messaging.requests(), message);
    }
}

void Simulation::client_event(sim::Worker& worker, const sim::Event& event) {
    Messaging& messaging = services_.messaging;
    if (sim::EventKind(event.kind) == sim::EventKind::client) {
        if (!messaging.take_receipt(worker, event)) ranks_[event.target].wake(event);
        return;
    }
    const sim::Message& message = messaging.messages()[event.message];
    const NodeCopy copy = messaging.copy_in_node(message);
    if ((message.flags & sim::notify_injected) != 0) injected(worker, event.message, copy.sent);
    delivered(worker, event.message, copy.arrived);
}

void Simulation::injected(sim::Worker& /*worker*/, sim::MessageId id, Picoseconds time) {
    const sim::Message& message = services_.messaging.messages()[id];
    if (setup_.path != nullptr) [[unlikely]]
        setup_.path->leave(message, id, time);
    if (!is_last_part(services_.messaging.requests()[message.send_request], time)) return;
    ranks_[message.source_rank].complete(message.send_request, time);
}

void Simulation::delivered(sim::Worker& worker, sim::MessageId id, Picoseconds time) {
    Messaging& messaging = services_.messaging;
    const sim::Message& message = messaging.messages()[id];
    SimRank& destination = ranks_[message.destination_rank];
    if (setup_.path != nullptr) [[unlikely]]
        setup_.path->deliver(message, id, time, messaging.same_node(message));
    switch (kind_of(message)) {
        case MessageKind::eager:
        case MessageKind::ready:
        case MessageKind::request_to_send:
            arrived(worker, id, time);
            break;
        case MessageKind::clear_to_send:
        case MessageKind::read_data:
        case MessageKind::acknowledgement:
        case MessageKind::lock_grant:
            ranks_[message.source_rank].answered(id, time);
            break;
        case MessageKind::data:
            take_data(worker, id, time);
            break;
        case MessageKind::put:
        case MessageKind::access:
        case MessageKind::accumulate:
        case MessageKind::read_request:
        case MessageKind::lock_request:
        case MessageKind::unlock:
        case MessageKind::post_notice:
        case MessageKind::complete_notice:
            destination.put_arrived(id, time);
            break;
    }
}

/// Completes the receive of a rendezvous with the last part of its data.
void Simulation::take_data(sim::Worker& worker, sim::MessageId id, Picoseconds time) {
    Messaging& messaging = services_.messaging;
    SimRank& destination = ranks_[messaging.messages()[id].destination_rank];
    if (setup_.path != nullptr) [[unlikely]]
        setup_.path->complete(id, messaging.messages()[id].receive_request);
    const std::uint32_t receive = Rendezvous(messaging, worker).take_data(id);
    if (is_last_part(messaging.requests()[receive], time)) destination.complete(receive, time);
}

/// Takes a message to the rank that looks for its receive, and those that had to wait for it.
void Simulation::arrived(sim::Worker& worker, sim::MessageId id, Picoseconds time) {
    Messaging& messaging = services_.messaging;
    if (!messaging.is_next(id, time)) return;
    while (id != sim::no_message) {
        const sim::Message& message = messaging.messages()[id];
        time = std::max(time, message.arrival);
        const sim::MessageId held = messaging.matched(worker, message, time);
        if (setup_.path != nullptr && held != sim::no_message) [[unlikely]]
            setup_.path->hold(held, id, messaging.messages()[held].arrival);
        ranks_[message.destination_rank].message_arrived(id, time);
        id = held;
    }
}

int Simulation::worker_of(Rank rank) const {
    const sim::Location location = services_.messaging.location_of(setup_.placement->nic(rank));
    return setup_.schedule.owner(location) - setup_.schedule.first_worker();
}

void Simulation::check_finished() const {
    WaitingRanks waiting;
    if (ranks_.made() > std::size_t(services_.log.finished_ranks())) {
        ranks_.for_each([&](std::size_t number, const SimRank& rank) {
            if (!rank.is_finished()) waiting.add(number, rank.waits_for(worker_of(Rank(number))));
        });
    }
    if (setup_.schedule.group != nullptr) waiting.join(*setup_.schedule.group);
    if (waiting.count() > 0) throw DeadlockError(waiting.complaint(ranks_.size()));
}

RunTotals Simulation::totals() const {
    RunTotals totals;
    ranks_.for_each([&](std::size_t number, const SimRank& rank) {
        totals.time = std::max(totals.time, rank.now());
        totals.busiest_rank = std::max(totals.busiest_rank, rank.busy());
        totals.hash += mix(number, std::uint64_t(rank.now()));
    });
    services_.messaging.add_to(totals);
    return totals;
}

/// Returns the path of the rank that ends last, with phases by their index among those of `log`.
std::vector<PathStep> Simulation::critical_path(const PhaseLog& log) const {
    std::size_t last = 0;
    Picoseconds end = -1;
    ranks_.for_each([&](std::size_t number, const SimRank& rank) {
        if (rank.now() <= end) return;
        last = number;
        end = rank.now();
    });
    std::vector<PathStep> path = setup_.path->path_of(std::uint32_t(last));
    for (PathStep& step : path) {
        if (step.phase < 0) continue;
        const std::string& name = services_.log.phase_name(step.phase);
        const auto found = std::ranges::find(log.phases, name, &PhaseRecord::name);
        step.phase = std::int32_t(found - log.phases.begin());
    }
    return path;
}

RunResult Simulation::result() const {
    RunResult result;
    sim::ProcessGroup* const group = setup_.schedule.group;
    static_cast<RunTotals&>(result) = group ? sum(*group, totals()) : totals();
    static_cast<PhaseLog&>(result) = services_.log.phases();
    if (setup_.path != nullptr) result.critical_path = critical_path(result);
    for (const auto& own : frames_.all()) result.frame_bytes += own->coroutines.arena.reserved();
    result.network = setup_.network->report(result.time);
    result.memory_bytes = result.frame_bytes + ranks_.made() * sizeof(SimRank) +
                          services_.messaging.requests().reserved() + result.network.memory_bytes;
    if (group != nullptr) join_processes(*group, result);
    sim::complete(result.network, result.time);
    return result;
}

}  // namespace tradewind::simcomm

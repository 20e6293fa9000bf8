/// How a simulated rank waits: for requests, for a signal, for a computation.
#include <algorithm>

#include "tradewind/base/errors.hpp"
#include "tradewind/simcomm/sim_rank.hpp"
#include "tradewind/simcomm/simulation.hpp"

namespace tradewind::simcomm {

bool SimRank::begin_wait(Waiting& waiting) {
    ++serial_;
    const bool over = is_over(waiting);
    waiting_ = over ? nullptr : &waiting;
    awaits_all_ = waiting.what_for == Waiting::For::all;
    return over;
}

bool SimRank::is_over(Waiting& waiting) {
    switch (waiting.what_for) {
        case Waiting::For::all:
            return begin_all(waiting);
        case Waiting::For::any:
            return begin_any(waiting);
        case Waiting::For::test:
            clock_ += simulation_->rank_parameters().test_overhead;
            call_me(clock_);
            return false;
        case Waiting::For::signal: {
            const auto& signal = signal_of(waiting);
            if (signal.count >= waiting.count) clock_ = std::max(clock_, signal.last);
            return signal.count >= waiting.count;
        }
        case Waiting::For::compute:
            return begin_compute(waiting);
    }
    return true;
}

const WindowRecord::Signal& SimRank::signal_of(const Waiting& waiting) const {
    const auto window = std::size_t(waiting.window);
    const auto number = std::size_t(waiting.index);
    if (!exposed_ || window >= exposed_->windows.size() ||
        number >= exposed_->windows[window].signals.size()) {
        throw ConfigError(text("rank ", rank_, " waits for signal ", waiting.index, " of window ",
                               waiting.window, ", which it has not exposed"));
    }
    return exposed_->windows[window].signals[number];
}

/// Processor time of taking a completed receive.
Picoseconds SimRank::overhead_of(const RequestRecord& record) const {
    const auto& costs = simulation_->rank_parameters();
    if (record.size < 0) {
        const double per_byte = simulation_->network_parameters().message_memory.ps_per_byte();
        const auto copied = double(RequestRecord::by_rendezvous - record.size);
        return costs.receive_overhead + costs.rendezvous_overhead + Picoseconds(copied * per_byte);
    }
    return costs.receive_overhead + Picoseconds(costs.receive_copy_ps * double(record.size));
}

/// A receive keeps the rank busy from its completion on. A send only has to be over when the wait
/// ends: what the rank does for its receives meanwhile does not wait for it.
void SimRank::take_completion(const RequestRecord& record) {
    if (record.kind == RequestRecord::Kind::receive) {
        clock_ = std::max(clock_, record.time) + overhead_of(record);
    } else {
        sends_over_ = std::max(sends_over_, record.time);
    }
}

/// Takes the result of a completed request into account and closes it.
void SimRank::consume(Request& request) {
    take_completion(simulation_->requests()[request.id]);
    simulation_->requests().give(worker_->index(), request.id);
    request = {};
}

void SimRank::end_wait_for_sends() noexcept {
    clock_ = std::max(clock_, std::exchange(sends_over_, 0));
}

bool SimRank::begin_all(Waiting& waiting) {
    pending_ = 0;
    for (std::int64_t i = 0; i < waiting.count; ++i) {
        Request& request = waiting.requests[i];
        if (request.is_null()) continue;
        RequestRecord& record = simulation_->requests()[request.id];
        if (record.time == RequestRecord::pending) {
            record.awaited = serial_;
            ++pending_;
        } else {
            consume(request);
        }
    }
    if (pending_ == 0) end_wait_for_sends();
    return pending_ == 0;
}

std::int64_t SimRank::earliest_complete(const Waiting& waiting, Picoseconds until) const {
    std::int64_t earliest = -1;
    Picoseconds time = until;
    for (std::int64_t i = 0; i < waiting.count; ++i) {
        const Request request = waiting.requests[i];
        if (request.is_null()) continue;
        const Picoseconds done = simulation_->requests()[request.id].time;
        if (done == RequestRecord::pending || done > time || (earliest >= 0 && done == time))
            continue;
        earliest = i;
        time = done;
    }
    return earliest;
}

bool SimRank::begin_any(Waiting& waiting) {
    bool open = false;
    for (std::int64_t i = 0; i < waiting.count; ++i) {
        const Request request = waiting.requests[i];
        if (request.is_null()) continue;
        open = true;
        simulation_->requests()[request.id].awaited = serial_;
    }
    if (!open) return true;
    if (const std::int64_t first = earliest_complete(waiting, clock_); first >= 0) {
        waiting.index = std::int32_t(first);
        consume(waiting.requests[first]);
        end_wait_for_sends();
        return true;
    }
    if (const std::int64_t later = earliest_complete(waiting, INT64_MAX); later >= 0) {
        call_me(simulation_->requests()[waiting.requests[later].id].time);
    }
    return false;
}

bool SimRank::begin_compute(Waiting& waiting) {
    const auto& network = simulation_->network_parameters();
    const Picoseconds flops = simulation_->flop_time(waiting.flops);
    if (network.node_model == sim::NodeModel::amm1 || waiting.count == 0) {
        clock_ += std::max(flops, network.memory.time(waiting.count));
        return true;
    }
    call_me(clock_);
    return false;
}

/// Asks for a wake-up call at `time`.
void SimRank::call_me(Picoseconds time) {
    sim::Event event;
    event.kind = std::uint8_t(sim::Kind::client);
    event.time = std::max(time, worker_->now());
    event.location = simulation_->location_of(nic_);
    event.port = std::uint16_t(nic_);
    event.target = std::uint32_t(rank_);
    event.bytes = serial_;
    worker_->schedule(event);
}

void SimRank::wake(const sim::Event& event) {
    if (waiting_ == nullptr || event.bytes != serial_) return;
    Waiting& waiting = *waiting_;
    if (waiting.what_for == Waiting::For::compute) {
        clock_ = std::max(clock_ + simulation_->flop_time(waiting.flops),
                          simulation_->network().use_memory(nic_, clock_, waiting.count));
    } else {
        clock_ = std::max(clock_, event.time);
        const std::int64_t first = earliest_complete(waiting, clock_);
        if (first < 0 && waiting.what_for != Waiting::For::test) return;
        waiting.index = std::int32_t(first);
        if (first >= 0) consume(waiting.requests[first]);
        end_wait_for_sends();
    }
    resume();
}

void SimRank::complete(std::uint32_t request, Picoseconds time) {
    RequestRecord& record = simulation_->requests()[request];
    record.time = time;
    if (waiting_ == nullptr || record.awaited != serial_) return;
    if (!awaits_all_) {
        call_me(time);
        return;
    }
    take_completion(record);
    simulation_->requests().give(worker_->index(), request);
    if (--pending_ > 0) return;
    end_wait_for_sends();
    std::fill_n(waiting_->requests, waiting_->count, Request{});
    resume();
}

std::string SimRank::waits_for() const {
    if (waiting_ == nullptr) return "nothing";
    if (waiting_->what_for == Waiting::For::signal) {
        return text("signal ", waiting_->index, " of window ", waiting_->window, " to reach ",
                    waiting_->count);
    }
    std::string result;
    std::int64_t open = 0;
    for (std::int64_t i = 0; i < waiting_->count; ++i) {
        if (waiting_->requests[i].is_null()) continue;
        const RequestRecord& record = simulation_->requests()[waiting_->requests[i].id];
        // What has completed may be another one's request by now.
        const bool is_open = record.time == RequestRecord::pending && record.awaited == serial_ &&
                             record.owner == std::uint32_t(rank_);
        if (!is_open || ++open > 3) continue;
        const bool receives = record.kind == RequestRecord::Kind::receive;
        result +=
            text(open > 1 ? ", " : "", receives ? "a message from rank " : "its send to rank ",
                 record.peer, " (tag ", record.envelope.tag, ")");
    }
    return open > 3 ? text(result, " and ", open - 3, " more") : result;
}

}  // namespace tradewind::simcomm

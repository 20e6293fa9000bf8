/// What a simulated rank does when its program calls it, and when messages come.
#include "tradewind/simcomm/sim_rank.hpp"

#include <algorithm>

#include "tradewind/base/errors.hpp"
#include "tradewind/simcomm/simulation.hpp"

namespace tradewind::simcomm {

void SimRank::place(Simulation& simulation, Rank rank, Rank size, Strand& strand,
                    std::uint32_t nic) noexcept {
    simulation_ = &simulation;
    rank_ = rank;
    size_ = size;
    strand_ = &strand;
    nic_ = nic;
}

void SimRank::start(sim::Worker& worker, Task task) {
    worker_ = &worker;
    task_ = std::move(task);
    task_.start();
    if (task_.done()) resume();
}

/// Runs the coroutine until it suspends again; cleans up when it has finished.
void SimRank::resume() {
    waiting_ = nullptr;
    if (const auto leaf = std::exchange(leaf_, {})) strand_->run(leaf);
    if (finished_ || !task_.done()) return;
    finished_ = true;
    end_phase();
    const Task done = std::move(task_);
    done.rethrow();
    simulation_->finished(*worker_);
}

// ---- what the program calls ----

std::uint32_t SimRank::open_request(RequestRecord::Kind kind, Rank peer, Envelope envelope) {
    auto& requests = simulation_->requests();
    const std::uint32_t index = requests.take(worker_->index());
    RequestRecord& record = requests[index];
    record.posted = clock_;
    record.owner = std::uint32_t(rank_);
    record.peer = std::uint32_t(peer);
    record.envelope = envelope;
    record.kind = kind;
    return index;
}

sim::MessageId SimRank::new_message(Rank to, ConstBuffer data, Envelope envelope) {
    const auto& costs = simulation_->rank_parameters();
    const Bytes more = std::max<Bytes>(data.size() - 1, 0);
    clock_ += costs.send_overhead + Picoseconds(costs.overhead_per_byte_ps * double(more));
    simulation_->count_message(*worker_, data.size());
    const std::uint32_t to_nic = simulation_->nic_of(to);
    const sim::MessageId id = simulation_->take_message(*worker_, to_nic);
    sim::Message& message = simulation_->messages()[id];
    message.source_rank = std::uint32_t(rank_);
    message.destination_rank = std::uint32_t(to);
    message.source_nic = nic_;
    message.destination_nic = to_nic;
    message.context = envelope.context;
    message.tag = envelope.tag;
    message.sequence = sequence_++;
    message.size = data.size();
    if (!data.is_null() && data.size() > 0) {
        message.payload = std::make_unique_for_overwrite<std::byte[]>(std::size_t(data.size()));
        std::memcpy(message.payload.get(), data.data(), std::size_t(data.size()));
    }
    return id;
}

bool SimRank::is_eager(const sim::Message& message) const {
    const auto& costs = simulation_->rank_parameters();
    return message.size <=
           (simulation_->same_node(message) ? costs.node_eager_limit : costs.eager_limit);
}

Request SimRank::start_send(Rank to, ConstBuffer data, Envelope envelope, SendMode mode) {
    const sim::MessageId id = new_message(to, data, envelope);
    sim::Message& message = simulation_->messages()[id];
    const auto& costs = simulation_->rank_parameters();
    const bool fits = is_eager(message);
    const bool ready = mode == SendMode::ready;
    if (ready) clock_ += costs.ready_overhead;
    if (mode == SendMode::synchronous) clock_ += costs.synchronous_overhead;
    if (mode != SendMode::synchronous && fits) {
        clock_ += Picoseconds(costs.send_copy_ps * double(data.size()));
        simulation_->launch(*worker_, id, ready ? Phase::ready : Phase::eager, clock_);
        return {};
    }
    // What is too long to be put aside occupies its buffer until it has left the node.
    message.send_request = open_request(RequestRecord::Kind::send, to, envelope);
    const Request request{message.send_request};
    simulation_->launch(*worker_, id, ready ? Phase::ready : Phase::request_to_send, clock_);
    return request;
}

Request SimRank::start_put(Rank to, Window window, Bytes offset, ConstBuffer data,
                           std::int32_t signal) {
    if (signal < 0 || signal > 0xffff) {
        throw ConfigError(
            text("rank ", rank_, ": signal ", signal, " of a put is not in 0..65535"));
    }
    const sim::MessageId id = new_message(to, data, {std::uint32_t(window.id), 0});
    sim::Message& message = simulation_->messages()[id];
    message.offset = offset;
    message.signal = std::uint16_t(signal);
    clock_ += simulation_->rank_parameters().put_overhead;
    if (data.size() > simulation_->rank_parameters().eager_limit) {
        message.send_request = open_request(RequestRecord::Kind::put, to, {});
    }
    const Request request{message.send_request};
    simulation_->launch(*worker_, id, Phase::put, clock_);
    return request;
}

Request SimRank::start_receive(Rank from, Buffer data, Envelope envelope) {
    const std::uint32_t request = open_request(RequestRecord::Kind::receive, from, envelope);
    RequestRecord& record = simulation_->requests()[request];
    record.data = data.data();
    record.size = data.size();
    const sim::MessageId id = unexpected_.take(simulation_->messages(), match_key(record));
    if (id == sim::no_message) {
        posted_.append(simulation_->requests(), request);
    } else {
        match(request, id, std::max(clock_, simulation_->messages()[id].arrival));
    }
    return Request{request};
}

Window SimRank::expose(Buffer memory, std::int32_t signals) {
    if (!exposed_) exposed_ = std::make_unique<Exposed>();
    auto& windows = exposed_->windows;
    windows.push_back(
        {memory, PagedArray<WindowRecord::Signal>(std::size_t(std::max(signals, 0)))});
    const Window window{std::int32_t(windows.size()) - 1};
    Chain& early_puts = exposed_->early_puts;
    const auto early = [&](const sim::Message& message) {
        return message.context == std::uint32_t(window.id);
    };
    for (auto id = take_first(early_puts, simulation_->messages(), early); id != sim::no_message;
         id = take_first(early_puts, simulation_->messages(), early)) {
        put_arrived(id, std::max(clock_, simulation_->messages()[id].arrival));
    }
    return window;
}

OwnWindow SimRank::allocate(Bytes size, bool has_data, std::int32_t signals) {
    if (!exposed_) exposed_ = std::make_unique<Exposed>();
    Buffer memory(size);
    if (has_data && size > 0) {
        auto& own = exposed_->own_memory;
        own.push_back(std::make_unique_for_overwrite<std::byte[]>(std::size_t(size)));
        memory = Buffer(own.back().get(), size);
    }
    return {expose(memory, signals), memory};
}

void SimRank::begin_phase(const char* name) {
    end_phase();
    phase_ = simulation_->phase_index(*worker_, name);
    phase_start_ = clock_;
}

void SimRank::charge(const LocalWork& work) {
    const LocalCosts& costs = simulation_->rank_parameters().local;
    if (costs.are_known) clock_ += costs.time(work);
}

bool SimRank::times_local_work() const noexcept {
    return simulation_->rank_parameters().local.are_known;
}

void SimRank::end_phase() {
    if (phase_ >= 0) simulation_->add_phase(*worker_, rank_, phase_, phase_start_, clock_);
    phase_ = -1;
}

// ---- what happens to the rank ----

void SimRank::message_arrived(sim::MessageId id, Picoseconds time) {
    sim::Message& message = simulation_->messages()[id];
    message.arrival = time;
    const std::uint32_t request = posted_.take(simulation_->requests(), match_key(message));
    if (request != none) {
        match(request, id, std::max(time, simulation_->requests()[request].posted));
        return;
    }
    unexpected_.append(simulation_->messages(), id);
}

/// A message and its receive have met at `time`.
void SimRank::match(std::uint32_t request, sim::MessageId id, Picoseconds time) {
    sim::Message& message = simulation_->messages()[id];
    RequestRecord& record = simulation_->requests()[request];
    if (message.size > record.size) {
        throw Error(text("rank ", rank_, ": a message of ", message.size, " bytes from rank ",
                         message.source_rank, " (tag ", message.tag, ") does not fit a receive of ",
                         record.size, " bytes"));
    }
    if (Phase(message.phase) == Phase::ready && record.posted > message.arrival) {
        throw Error(text("ready send from rank ", message.source_rank, " to rank ", rank_, " (tag ",
                         message.tag, "): its receive was not posted when it arrived"));
    }
    if (Phase(message.phase) == Phase::request_to_send) {
        const Bytes copied = simulation_->same_node(message) ? message.size : 0;
        record.size = is_eager(message) ? 0 : RequestRecord::by_rendezvous - copied;
        simulation_->clear_to_send(*worker_, id, request, time);
        return;
    }
    if (message.payload && record.data != nullptr) {
        std::memcpy(record.data, message.payload.get(), std::size_t(message.size));
    }
    record.size = message.send_request == none ? message.size : 0;
    simulation_->give_message(*worker_, id);
    complete(request, time);
}

void SimRank::put_arrived(sim::MessageId id, Picoseconds time) {
    sim::Message& message = simulation_->messages()[id];
    if (!exposed_) exposed_ = std::make_unique<Exposed>();
    if (message.context >= exposed_->windows.size()) {
        message.arrival = time;
        append(exposed_->early_puts, simulation_->messages(), id);
        return;
    }
    WindowRecord& window = exposed_->windows[message.context];
    if (message.offset < 0 || message.offset + message.size > window.memory.size() ||
        message.signal >= window.signals.size()) {
        throw Error(text("put from rank ", message.source_rank, ": bytes ", message.offset, "..",
                         message.offset + message.size, ", signal ", message.signal,
                         " do not fit the window of rank ", rank_, " (", window.memory.size(),
                         " bytes, ", window.signals.size(), " signals)"));
    }
    if (message.payload && !window.memory.is_null()) {
        std::memcpy(window.memory.data() + message.offset, message.payload.get(),
                    std::size_t(message.size));
    }
    auto& signal = window.signals[message.signal];
    ++signal.count;
    signal.last = std::max(signal.last, time);
    const bool awaited = waiting_ != nullptr && leaf_ &&
                         waiting_->what_for == Waiting::For::signal &&
                         waiting_->window == std::int32_t(message.context) &&
                         waiting_->index == message.signal && signal.count >= waiting_->count;
    simulation_->give_message(*worker_, id);
    if (!awaited) return;
    clock_ = std::max(clock_, signal.last);
    resume();
}

}  // namespace tradewind::simcomm

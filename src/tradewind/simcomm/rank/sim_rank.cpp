/// The calls of the program, and the events of the rank.
#include "tradewind/simcomm/rank/sim_rank.hpp"

#include "tradewind/base/errors.hpp"
#include "tradewind/base/interrupts.hpp"

namespace tradewind::simcomm {

SimRank::SimRank(RankServices& services, Rank rank, Rank size,
                 CoroutineContext& coroutines) noexcept
    : Comm(rank, size, coroutines),
      context_{&services, nullptr, std::uint32_t(rank), services.messaging.nic_of(rank)} {}

void SimRank::start(sim::Worker& worker, Task task) {
    context_.worker = &worker;
    task_ = std::move(task);
    task_.start();
    if (task_.done()) resume();
}

/// Runs the coroutine until it suspends again. Cleans up when it has finished.
void SimRank::resume() {
    if (const auto leaf = wait_.end()) coroutines_->run(leaf);
    if (finished_ || !task_.done()) return;
    finished_ = true;
    phase_.end(context_, wait_.now());
    endpoint_.call(context_, wait_.now());
    const Task done = std::move(task_);
    calls_.reset();
    done.rethrow();
    context_.log().finish_rank(*context_.worker);
}

// ---- what the program calls ----

Request SimRank::start_send(Rank to, ConstBuffer data, Envelope envelope, SendMode mode) {
    return endpoint_.send(context_, wait_.clock(), to, data, envelope, mode);
}

Request SimRank::start_receive(Rank from, Buffer data, Envelope envelope) {
    return endpoint_.receive(context_, wait_.now(), from, data, envelope);
}

RequestPair SimRank::start_exchange(const MessagePair& pair, Envelope envelope) {
    const Request receive = start_receive(pair.from, pair.in, envelope);
    return {receive, start_send(pair.to, pair.out, envelope, SendMode::standard)};
}

Request SimRank::start_put(Rank to, Window window, Bytes offset, ConstBuffer data,
                           std::int32_t signal) {
    return endpoint_.put(context_, wait_.clock(), {to, window, offset, signal}, data);
}

Window SimRank::expose(Buffer memory, std::int32_t signals) {
    return endpoint_.windows().expose(context_, memory, signals, wait_.now());
}

OwnWindow SimRank::allocate(Bytes size, bool has_data, std::int32_t signals) {
    const Buffer memory = endpoint_.windows().allocate(size, has_data);
    return {expose(memory, signals), memory};
}

bool SimRank::begin_wait(Waiting& waiting) {
    using For = Waiting::For;
    if (waiting.what_for == For::compute || waiting.what_for == For::elapse) {
        check_interrupts(long_operation);
        endpoint_.compute(context_, wait_.now());
    } else {
        endpoint_.call(context_, wait_.now());
    }
    return wait_.begin(context_, waiting, endpoint_.windows_if_any());
}

void SimRank::begin_phase(const char* name) {
    check_interrupts(long_operation);
    phase_.begin(context_, name, wait_.now());
}

void SimRank::charge(const LocalWork& work) {
    const LocalCosts& costs = context_.messaging().costs().local;
    if (!costs.are_known) return;
    wait_.clock() += costs.time(work);
    context_.keep_busy(PathKind::local_work, wait_.now());
}

bool SimRank::times_local_work() const noexcept {
    return context_.messaging().costs().local.are_known;
}

SimulatedCalls* SimRank::simulated() noexcept {
    if (!calls_) calls_ = std::make_unique<RankCalls>(*this, context_, wait_, endpoint_);
    return calls_.get();
}

// ---- what happens to the rank ----

void SimRank::put_arrived(sim::MessageId id, Picoseconds time) {
    const sim::Message& message = context_.messaging().messages()[id];
    const MessageKind kind = kind_of(message);
    const std::uint32_t window = message.context;
    std::uint32_t number = message.signal;
    Waiting::For what = Waiting::For::signal;
    const Signal* signal = nullptr;
    if (kind == MessageKind::put) {
        signal = endpoint_.windows().take_put(context_, id, time);
    } else if (is_notice(kind)) {
        number = message.source_rank;
        what = kind == MessageKind::post_notice ? Waiting::For::post_notice
                                                : Waiting::For::complete_notice;
        signal = &endpoint_.windows().accesses().take_notice(context_, id, time);
    } else {
        endpoint_.windows().accesses().take(context_, id, time);
    }
    if (signal != nullptr && wait_.raise(context_, what, window, number, *signal)) resume();
}

void SimRank::answered(sim::MessageId id, Picoseconds time) {
    Messaging& messaging = context_.messaging();
    const sim::Message& message = messaging.messages()[id];
    if (kind_of(message) == MessageKind::clear_to_send)
        return endpoint_.answered(context_, id, time);
    const std::uint32_t request = message.receive_request;
    if (CriticalPath* const path = context_.path(); path != nullptr) [[unlikely]]
        path->complete(id, request);
    give_answer(messaging, *context_.worker, id);
    complete(request, time);
}

void SimRank::wake(const sim::Event& event) {
    if (calls_) [[unlikely]] {
        const std::optional<Completion> over = calls_->wake(event);
        if (over && over->request != none) complete(over->request, over->time);
        if (over) return;
    }
    if (wait_.wake(context_, event)) resume();
}

std::string SimRank::waits_for(int worker) const {
    std::string result = wait_.describe(context_);
    const std::string tasks = calls_ ? calls_->waits_for() : std::string();
    if (!tasks.empty()) result += text(", and its nonblocking collectives for ", tasks);
    if (phase_.phase() < 0) return result;
    return text(result, " in ", context_.log().phase_name(phase_.phase(), worker));
}

}  // namespace tradewind::simcomm

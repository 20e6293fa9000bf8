/// The calls of the program, and the events of the rank.
#include "tradewind/simcomm/rank/sim_rank.hpp"

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
    end_phase();
    endpoint_.call(context_, wait_.now());
    const Task done = std::move(task_);
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
    end_phase();
    phase_ = context_.log().phase_index(*context_.worker, name);
    if (CriticalPath* const path = context_.path(); path != nullptr) [[unlikely]]
        path->enter_phase(context_.rank, phase_);
    phase_start_ = wait_.now();
}

void SimRank::end_phase() {
    if (phase_ >= 0) {
        context_.log().add_phase(*context_.worker,
                                 {context_.rank, phase_, phase_start_, wait_.now()});
    }
    phase_ = -1;
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

// ---- what happens to the rank ----

void SimRank::put_arrived(sim::MessageId id, Picoseconds time) {
    const sim::Message& message = context_.messaging().messages()[id];
    const std::uint32_t window = message.context;
    const std::uint16_t number = message.signal;
    const Signal* const signal = endpoint_.windows().take_put(context_, id, time);
    if (signal != nullptr && wait_.raise(context_, window, number, *signal)) resume();
}

void SimRank::wake(const sim::Event& event) {
    if (wait_.wake(context_, event)) resume();
}

}  // namespace tradewind::simcomm

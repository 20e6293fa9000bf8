/// The start and the steps of a task.
#include "tradewind/simcomm/rank/side_task.hpp"

#include <utility>

#include "tradewind/base/errors.hpp"

namespace tradewind::simcomm {

namespace {

[[noreturn]] void refuse_puts(Rank rank) {
    throw ConfigError(text("rank ", rank, ": a nonblocking collective does not travel by puts"));
}

}  // namespace

SideTask::SideTask(const Comm& rank, const RankContext& context, Endpoint& endpoint,
                   Picoseconds now, Program program)
    : Comm(rank.rank(), rank.size(), rank.coroutines()),
      context_(context),
      endpoint_(endpoint),
      program_(std::move(program)) {
    wait_.clock() = now;
    exchange_paths();
    task_ = program_(*this);
    task_.start();
    exchange_paths();
}

Window SideTask::expose(Buffer /*memory*/, std::int32_t /*signals*/) {
    refuse_puts(rank());
}

OwnWindow SideTask::allocate(Bytes /*size*/, bool /*has_data*/, std::int32_t /*signals*/) {
    refuse_puts(rank());
}

Request SideTask::start_put(Rank /*to*/, Window /*window*/, Bytes /*offset*/, ConstBuffer /*data*/,
                            std::int32_t /*signal*/) {
    refuse_puts(rank());
}

void SideTask::charge(const LocalWork& work) {
    const LocalCosts& costs = context_.messaging().costs().local;
    if (!costs.are_known) return;
    wait_.clock() += costs.time(work);
    context_.keep_busy(PathKind::local_work, wait_.now());
}

bool SideTask::times_local_work() const noexcept {
    return context_.messaging().costs().local.are_known;
}

/// Makes the path of the task that of its rank for as long as the task runs, and back.
void SideTask::exchange_paths() noexcept {
    if (CriticalPath* const path = context_.path(); path != nullptr) [[unlikely]]
        path->exchange(context_.rank, path_);
}

void SideTask::resume() {
    endpoint_.wait_for_call(context_, wait_);
    if (const auto leaf = wait_.end()) coroutines().run(leaf);
}

bool SideTask::complete(std::uint32_t request, Picoseconds time) {
    if (!wait_.is(context_.messaging().requests()[request].awaited)) return false;
    exchange_paths();
    if (wait_.complete(context_, request, time)) resume();
    exchange_paths();
    return true;
}

bool SideTask::wake(const sim::Event& event) {
    if (!wait_.is(std::uint32_t(event.bytes))) return false;
    exchange_paths();
    if (wait_.wake(context_, event)) resume();
    exchange_paths();
    return true;
}

Completion SideTask::finish() {
    task_.rethrow();
    if (CriticalPath* const path = context_.path(); path != nullptr) [[unlikely]]
        path->end_branch(path_, request_);
    return {request_, wait_.now()};
}

}  // namespace tradewind::simcomm

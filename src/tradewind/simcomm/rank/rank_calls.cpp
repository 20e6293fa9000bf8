/// The calls, and the events of tasks.
#include "tradewind/simcomm/rank/rank_calls.hpp"

#include <utility>

#include "tradewind/base/errors.hpp"

namespace tradewind::simcomm {

RequestPair RankCalls::access(AccessKind kind, Rank peer, Bytes bytes, bool returns_buffer) {
    return endpoint_.access(context_, wait_.clock(), kind, peer, bytes, returns_buffer);
}

void RankCalls::notify(Rank to, NoticeKind kind, std::uint32_t window) {
    const MessageKind sent =
        kind == NoticeKind::post ? MessageKind::post_notice : MessageKind::complete_notice;
    (void)endpoint_.tell(context_, wait_.clock(), sent, to, window, false);
}

Request RankCalls::lock(Rank at, std::uint32_t window, bool is_exclusive) {
    return endpoint_.tell(context_, wait_.clock(), MessageKind::lock_request, at, window,
                          is_exclusive);
}

void RankCalls::unlock(Rank at, std::uint32_t window, bool is_exclusive) {
    (void)endpoint_.tell(context_, wait_.clock(), MessageKind::unlock, at, window, is_exclusive);
}

Request RankCalls::run_beside(const Program& task) {
    endpoint_.call(context_, wait_.now());
    const std::uint32_t request =
        open_request(context_, RequestRecord::Kind::task, rank_.rank(), {}, wait_.now());
    tasks_.push_back(std::make_unique<SideTask>(rank_, context_, endpoint_, wait_.now(), task));
    SideTask& started = *tasks_.back();
    started.expect(request);
    wait_.clock() = started.busy();
    context_.keep_busy(PathKind::overhead, wait_.now());
    if (started.is_over())
        context_.messaging().requests()[request].time = end(tasks_.end() - 1).time;
    return {request};
}

/// Forgets a task that is over.
Completion RankCalls::end(SideTasks::iterator task) {
    const std::unique_ptr<SideTask> over = std::move(*task);
    tasks_.erase(task);
    return over->finish();
}

std::optional<Completion> RankCalls::complete(std::uint32_t request, Picoseconds time) {
    for (auto task = tasks_.begin(); task != tasks_.end(); ++task) {
        if (!(*task)->complete(request, time)) continue;
        return (*task)->is_over() ? end(task) : Completion{};
    }
    return std::nullopt;
}

std::optional<Completion> RankCalls::wake(const sim::Event& event) {
    for (auto task = tasks_.begin(); task != tasks_.end(); ++task) {
        if (!(*task)->wake(event)) continue;
        return (*task)->is_over() ? end(task) : Completion{};
    }
    return std::nullopt;
}

std::string RankCalls::waits_for() const {
    std::string result;
    for (const auto& task : tasks_) result += text(result.empty() ? "" : ", ", task->waits_for());
    return result;
}

}  // namespace tradewind::simcomm

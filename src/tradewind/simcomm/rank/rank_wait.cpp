/// The begins and ends of waits: for requests, for a signal, for a computation.
#include "tradewind/simcomm/rank/rank_wait.hpp"

#include <algorithm>

#include "tradewind/base/errors.hpp"

namespace tradewind::simcomm {

namespace {

/// Returns the index of the request that completed first, not after `until`; -1 if none has.
[[nodiscard]] std::int64_t earliest_complete(RequestPool& requests, const Waiting& waiting,
                                             Picoseconds until) {
    std::int64_t earliest = -1;
    Picoseconds time = until;
    for (std::int64_t i = 0; i < waiting.count; ++i) {
        const Request request = waiting.requests[i];
        if (request.is_null()) continue;
        const Picoseconds done = requests[request.id].time;
        if (done == RequestRecord::pending || done > time || (earliest >= 0 && done == time))
            continue;
        earliest = i;
        time = done;
    }
    return earliest;
}

[[nodiscard]] MessageKind notice_of(Waiting::For what) noexcept {
    return what == Waiting::For::post_notice ? MessageKind::post_notice
                                             : MessageKind::complete_notice;
}

[[nodiscard]] std::string description_of(const RequestRecord& request) {
    switch (request.kind) {
        case RequestRecord::Kind::receive:
            return text("a message from rank ", request.peer, " (tag ", request.envelope.tag, ")");
        case RequestRecord::Kind::access:
            return text("its access to the memory of rank ", request.peer);
        case RequestRecord::Kind::lock:
            return text("its lock of the window of rank ", request.peer);
        case RequestRecord::Kind::task:
            return "its nonblocking collective";
        default:
            return text("its send to rank ", request.peer, " (tag ", request.envelope.tag, ")");
    }
}

}  // namespace

bool RankWait::begin(const RankContext& rank, Waiting& waiting, Windows* windows) {
    serial_ = ++rank.waits;
    const bool over = is_over(rank, waiting, windows);
    waiting_ = over ? nullptr : &waiting;
    return over;
}

bool RankWait::is_over(const RankContext& rank, Waiting& waiting, Windows* windows) {
    switch (waiting.what_for) {
        case Waiting::For::all:
            return begin_all(rank, waiting);
        case Waiting::For::any:
            return begin_any(rank, waiting);
        case Waiting::For::test:
            clock_ += rank.messaging().costs().test_overhead;
            rank.keep_busy(PathKind::overhead, clock_);
            call_me(rank, clock_);
            return false;
        case Waiting::For::signal:
            return begin_signal(rank, waiting, windows);
        case Waiting::For::post_notice:
        case Waiting::For::complete_notice:
            return windows != nullptr &&
                   has_come(rank, waiting,
                            windows->accesses().notices(notice_of(waiting.what_for),
                                                        std::uint32_t(waiting.window),
                                                        std::uint32_t(waiting.index)));
        case Waiting::For::compute:
            clock_ += rank.messaging().costs().compute_time(waiting.flops, waiting.count, rank.rank,
                                                            serial_);
            rank.keep_busy(PathKind::compute, clock_);
            return true;
        case Waiting::For::elapse:
            clock_ += rank.messaging().costs().varied(waiting.count, rank.rank, serial_);
            rank.keep_busy(PathKind::compute, clock_);
            return true;
    }
    return true;
}

bool RankWait::begin_all(const RankContext& rank, const Waiting& waiting) {
    RequestPool& requests = rank.messaging().requests();
    pending_ = 0;
    for (std::int64_t i = 0; i < waiting.count; ++i) {
        Request& request = waiting.requests[i];
        if (request.is_null()) continue;
        RequestRecord& record = requests[request.id];
        if (record.time == RequestRecord::pending) {
            record.awaited = serial_;
            ++pending_;
        } else {
            consume(rank, request);
        }
    }
    if (pending_ == 0) end_wait_for_sends(rank);
    return pending_ == 0;
}

bool RankWait::begin_any(const RankContext& rank, Waiting& waiting) {
    RequestPool& requests = rank.messaging().requests();
    bool open = false;
    for (std::int64_t i = 0; i < waiting.count; ++i) {
        const Request request = waiting.requests[i];
        if (request.is_null()) continue;
        open = true;
        requests[request.id].awaited = serial_;
    }
    if (!open) return true;
    if (const std::int64_t first = earliest_complete(requests, waiting, clock_); first >= 0) {
        waiting.index = std::int32_t(first);
        consume(rank, waiting.requests[first]);
        end_wait_for_sends(rank);
        return true;
    }
    const std::int64_t later = earliest_complete(requests, waiting, INT64_MAX);
    if (later >= 0) call_me(rank, requests[waiting.requests[later].id].time);
    return false;
}

bool RankWait::begin_signal(const RankContext& rank, const Waiting& waiting, Windows* windows) {
    const Signal* const signal = windows == nullptr ? nullptr
                                                    : windows->signal(std::size_t(waiting.window),
                                                                      std::size_t(waiting.index));
    if (signal == nullptr) {
        throw ConfigError(text("rank ", rank.rank, " waits for signal ", waiting.index,
                               " of window ", waiting.window, ", which it has not exposed"));
    }
    return has_come(rank, waiting, *signal);
}

/// Goes on from a signal or a notice that is there already. Returns false if it is not.
bool RankWait::has_come(const RankContext& rank, const Waiting& waiting, const Signal& signal) {
    if (signal.count < waiting.count) return false;
    follow_signal(rank, std::uint32_t(waiting.window), std::uint32_t(waiting.index), signal);
    wait_until(signal.last);
    return true;
}

/// Takes the result of a completed request into account and closes it.
void RankWait::consume(const RankContext& rank, Request& request) {
    RequestPool& requests = rank.messaging().requests();
    take_completion(rank, request.id);
    requests.give(rank.worker->index(), request.id);
    request = {};
}

/// Asks for a wake-up call at `time`.
void RankWait::call_me(const RankContext& rank, Picoseconds time) const {
    sim::Event event;
    event.kind = std::uint8_t(sim::EventKind::client);
    event.time = std::max(time, rank.worker->now());
    event.location = rank.messaging().location_of(rank.nic);
    event.port = std::uint16_t(rank.nic);
    event.target = rank.rank;
    event.bytes = serial_;
    rank.worker->schedule(event);
}

bool RankWait::wake(const RankContext& rank, const sim::Event& event) {
    if (waiting_ == nullptr || event.bytes != serial_) return false;
    Waiting& waiting = *waiting_;
    const Picoseconds now = std::max(clock_, event.time);
    const std::int64_t first = earliest_complete(rank.messaging().requests(), waiting, now);
    if (first >= 0) follow(rank, waiting.requests[first].id, now);
    wait_until(now);
    rank.keep_busy(PathKind::overhead, clock_);
    if (first < 0 && waiting.what_for != Waiting::For::test) return false;
    waiting.index = std::int32_t(first);
    if (first >= 0) consume(rank, waiting.requests[first]);
    end_wait_for_sends(rank);
    return true;
}

/// Tells the critical path that the rank goes on with a request that completed after its clock, not
/// after `time`.
void RankWait::follow(const RankContext& rank, std::uint32_t request, Picoseconds time) {
    const Picoseconds done = rank.messaging().requests()[request].time;
    if (rank.path() != nullptr && done > clock_ && done <= time)
        rank.path()->follow_request(rank.rank, request, done);
}

void RankWait::follow_signal(const RankContext& rank, std::uint32_t window, std::uint32_t number,
                             const Signal& signal) {
    if (rank.path() != nullptr && signal.last > clock_)
        rank.path()->follow_signal(rank.rank, window, number, signal.last);
}

bool RankWait::raise(const RankContext& rank, Waiting::For what, std::uint32_t window,
                     std::uint32_t number, const Signal& signal) {
    const bool awaited = waiting_ != nullptr && leaf_ && waiting_->what_for == what &&
                         waiting_->window == std::int32_t(window) &&
                         waiting_->index == std::int32_t(number) && signal.count >= waiting_->count;
    if (!awaited) return false;
    follow_signal(rank, window, number, signal);
    wait_until(signal.last);
    return true;
}

std::string RankWait::describe(const RankContext& rank) const {
    if (waiting_ == nullptr) return "nothing";
    if (waiting_->what_for == Waiting::For::post_notice)
        return text("the post of a window by rank ", waiting_->index);
    if (waiting_->what_for == Waiting::For::complete_notice)
        return text("the end of the accesses of rank ", waiting_->index, " to its window");
    if (waiting_->what_for == Waiting::For::signal) {
        return text("signal ", waiting_->index, " of window ", waiting_->window, " to reach ",
                    waiting_->count);
    }
    std::string result;
    std::int64_t open = 0;
    for (std::int64_t i = 0; i < waiting_->count; ++i) {
        if (waiting_->requests[i].is_null()) continue;
        const RequestRecord& record = rank.messaging().requests()[waiting_->requests[i].id];
        // The record of a completed request may belong to another one by now.
        const bool is_open = record.time == RequestRecord::pending && record.awaited == serial_ &&
                             record.owner == rank.rank;
        if (!is_open || ++open > 3) continue;
        result += text(open > 1 ? ", " : "", description_of(record));
    }
    return open > 3 ? text(result, " and ", open - 3, " more") : result;
}

}  // namespace tradewind::simcomm

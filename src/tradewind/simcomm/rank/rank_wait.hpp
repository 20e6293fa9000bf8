/// RankWait: the clock of a simulated rank, and the wait in which it is suspended.
#pragma once

#include <algorithm>
#include <coroutine>
#include <string>
#include <utility>

#include "tradewind/base/fetch_ahead.hpp"
#include "tradewind/comm/wait.hpp"
#include "tradewind/simcomm/messages/rendezvous.hpp"
#include "tradewind/simcomm/rank/rank_context.hpp"
#include "tradewind/simcomm/rank/windows.hpp"

namespace tradewind::simcomm {

/// The wait of one rank for requests, for a signal or for a computation. The clock may run ahead of
/// the engine: the calls of the rank between two suspensions cost no events.
class RankWait {
public:
    [[nodiscard]] Picoseconds now() const noexcept { return clock_; }
    /// Returns the clock for others to advance.
    [[nodiscard]] Picoseconds& clock() noexcept { return clock_; }
    /// Returns the time in which the rank did not wait: it computed, or sent and received.
    [[nodiscard]] Picoseconds busy() const noexcept { return clock_ - waited_; }

    /// Begins a wait; `windows` may be null. Returns true if it is over at once.
    [[nodiscard]] bool begin(const RankContext& rank, Waiting& waiting, Windows* windows);
    /// Keeps the coroutine that is to be resumed.
    void suspend(std::coroutine_handle<> leaf) noexcept { leaf_ = leaf; }
    /// Ends the wait. Returns the suspended coroutine, or null.
    [[nodiscard]] std::coroutine_handle<> end() noexcept {
        waiting_ = nullptr;
        return std::exchange(leaf_, {});
    }

    // Events that may end a wait; all return true if it is over.
    [[nodiscard]] bool complete(const RankContext& rank, std::uint32_t request, Picoseconds time);
    [[nodiscard]] bool wake(const RankContext& rank, const sim::Event& event);
    /// Takes notice of a signal that was raised in a window, or of a notice about it.
    [[nodiscard]] bool raise(const RankContext& rank, Waiting::For what, std::uint32_t window,
                             std::uint32_t number, const Signal& signal);

    /// Returns true if the present wait has that number.
    [[nodiscard]] bool is(std::uint32_t serial) const noexcept {
        return waiting_ != nullptr && serial == serial_;
    }
    /// Goes on at `time`, at which the library of the rank looks for what has come.
    void notice(const RankContext& rank, Picoseconds time) noexcept {
        wait_until(time);
        rank.keep_busy(PathKind::progress, clock_);
    }
    /// Returns a description of the wait, for people.
    [[nodiscard]] std::string describe(const RankContext& rank) const;
    /// Asks for the memory of the suspended coroutine.
    void prefetch() const noexcept {
        if (pending_ > 2) return;
        fetch_ahead(leaf_.address());
        fetch_ahead(waiting_);
    }

private:
    [[nodiscard]] bool is_over(const RankContext& rank, Waiting& waiting, Windows* windows);
    [[nodiscard]] bool begin_all(const RankContext& rank, const Waiting& waiting);
    [[nodiscard]] bool begin_any(const RankContext& rank, Waiting& waiting);
    [[nodiscard]] bool begin_signal(const RankContext& rank, const Waiting& waiting,
                                    Windows* windows);
    [[nodiscard]] bool has_come(const RankContext& rank, const Waiting& waiting,
                                const Signal& signal);
    void take_completion(const RankContext& rank, std::uint32_t request);
    void follow(const RankContext& rank, std::uint32_t request, Picoseconds time);
    void follow_signal(const RankContext& rank, std::uint32_t window, std::uint32_t number,
                       const Signal& signal);
    void consume(const RankContext& rank, Request& request);
    void end_wait_for_sends(const RankContext& rank);
    void call_me(const RankContext& rank, Picoseconds time) const;
    void wait_until(Picoseconds time) noexcept {
        waited_ += std::max<Picoseconds>(time - clock_, 0);
        clock_ = std::max(clock_, time);
    }

    Picoseconds clock_ = 0;
    Picoseconds waited_ = 0;
    /// The time at which the sends are over that the present wait has seen to complete.
    Picoseconds sends_over_ = 0;
    std::coroutine_handle<> leaf_;
    Waiting* waiting_ = nullptr;
    /// The requests that a wait for all of a list still needs; zero in other waits.
    std::uint32_t pending_ = 0;
    /// The number of the wait, by which a late wake-up call is recognised.
    std::uint32_t serial_ = 0;
};

// ---- what every message touches ----

/// Takes the result of a completed request into account. A receive keeps the rank busy from its
/// completion on. A send only has to be over when the wait ends: the rank's work for its receives
/// meanwhile does not wait for it.
inline void RankWait::take_completion(const RankContext& rank, std::uint32_t request) {
    const RequestRecord& record = rank.messaging().requests()[request];
    if (record.kind == RequestRecord::Kind::receive) {
        if (rank.path() != nullptr) [[unlikely]]
            follow(rank, request, record.time);
        wait_until(record.time);
        clock_ += receive_overhead(rank.messaging(), record);
        rank.keep_busy(PathKind::overhead, clock_);
    } else {
        if (rank.path() != nullptr) [[unlikely]]
            rank.path()->await_send(rank.rank, request);
        sends_over_ = std::max(sends_over_, record.time);
    }
}

inline void RankWait::end_wait_for_sends(const RankContext& rank) {
    if (rank.path() != nullptr) [[unlikely]]
        rank.path()->end_sends(rank.rank, clock_);
    wait_until(std::exchange(sends_over_, 0));
}

inline bool RankWait::complete(const RankContext& rank, std::uint32_t request, Picoseconds time) {
    RequestPool& requests = rank.messaging().requests();
    RequestRecord& record = requests[request];
    record.time = time;
    if (waiting_ == nullptr || record.awaited != serial_) return false;
    if (pending_ == 0) {
        call_me(rank, time);
        return false;
    }
    take_completion(rank, request);
    requests.give(rank.worker->index(), request);
    if (--pending_ > 0) return false;
    end_wait_for_sends(rank);
    std::fill_n(waiting_->requests, waiting_->count, Request{});
    return true;
}

}  // namespace tradewind::simcomm

/// SimRank: the communicator of one simulated rank, and the run of its program.
#pragma once

#include <coroutine>
#include <string>
#include <tuple>
#include <utility>

#include "tradewind/comm/comm.hpp"
#include "tradewind/comm/task.hpp"
#include "tradewind/simcomm/rank/endpoint.hpp"
#include "tradewind/simcomm/rank/phase_clock.hpp"
#include "tradewind/simcomm/rank/rank_calls.hpp"
#include "tradewind/simcomm/rank/rank_context.hpp"
#include "tradewind/simcomm/rank/rank_wait.hpp"

namespace tradewind::simcomm {

/// The communicator of one rank. The program calls it, and the Simulation tells it of events. Its
/// sends reach the network at the time of its own clock.
class alignas(64) SimRank final : public Comm {
public:
    SimRank(RankServices& services, Rank rank, Rank size, CoroutineContext& coroutines) noexcept;

    [[nodiscard]] Picoseconds now() const noexcept override { return wait_.now(); }
    [[nodiscard]] Picoseconds busy() const noexcept { return wait_.busy(); }
    [[nodiscard]] Window expose(Buffer memory, std::int32_t signals) override;
    [[nodiscard]] OwnWindow allocate(Bytes size, bool has_data, std::int32_t signals) override;
    void begin_phase(const char* name) override;
    void charge(const LocalWork& work) override;
    [[nodiscard]] bool times_local_work() const noexcept override;
    [[nodiscard]] SimulatedCalls* simulated() noexcept override;

    /// Starts the rank's program at time 0.
    void start(sim::Worker& worker, Task task);
    [[nodiscard]] bool is_finished() const noexcept { return finished_; }

    /// Asks for the memory that the arrival of `message` will touch: of its receive, and of the
    /// suspended coroutine.
    void prefetch(RequestPool& requests, const sim::Message& message) noexcept {
        endpoint_.prefetch(requests, message);
        wait_.prefetch();
    }

    // Events of the rank; called by Simulation.
    void message_arrived(sim::MessageId id, Picoseconds time) {
        const Completion done = endpoint_.message_arrived(context_, id, time);
        if (done.request != none) complete(done.request, done.time);
    }
    /// Takes a put, or another message that looks for no receive.
    void put_arrived(sim::MessageId id, Picoseconds time);
    /// Takes what comes back of an announcement, an access or a request for a lock.
    void answered(sim::MessageId id, Picoseconds time);
    void complete(std::uint32_t request, Picoseconds time) {
        if (calls_) [[unlikely]] {
            const std::optional<Completion> over = calls_->complete(request, time);
            if (over && over->request == none) return;
            if (over) std::tie(request, time) = std::pair(over->request, over->time);
        }
        if (wait_.complete(context_, request, time)) resume();
    }
    void wake(const sim::Event& event);
    /// Returns a description of the rank's wait, for people, with its phase by the log of its
    /// worker.
    [[nodiscard]] std::string waits_for(int worker) const;

private:
    Request start_send(Rank to, ConstBuffer data, Envelope envelope, SendMode mode) override;
    Request start_receive(Rank from, Buffer data, Envelope envelope) override;
    RequestPair start_exchange(const MessagePair& pair, Envelope envelope) override;
    Request start_put(Rank to, Window window, Bytes offset, ConstBuffer data,
                      std::int32_t signal) override;
    bool begin_wait(Waiting& waiting) override;
    void suspend(std::coroutine_handle<> leaf) noexcept override { wait_.suspend(leaf); }

    void resume();

    // First what every message touches.
    RankContext context_;
    RankWait wait_;
    Endpoint endpoint_;
    Task task_;
    PhaseClock phase_;
    bool finished_ = false;
    /// The calls of recorded programs; null before the first one.
    std::unique_ptr<RankCalls> calls_;
};

}  // namespace tradewind::simcomm

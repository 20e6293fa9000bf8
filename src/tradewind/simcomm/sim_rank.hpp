/// SimRank: the communicator of one simulated rank, and the rank's own state.
#pragma once

#include <coroutine>
#include <memory>
#include <vector>

#include "tradewind/base/fetch_ahead.hpp"
#include "tradewind/comm/comm.hpp"
#include "tradewind/comm/task.hpp"
#include "tradewind/sim/kernel/worker.hpp"
#include "tradewind/simcomm/match_list.hpp"
#include "tradewind/simcomm/records.hpp"

namespace tradewind::simcomm {

class Simulation;

/// A rank has a clock of its own that may run ahead of the engine: what it does between two
/// suspensions costs no events. Its sends reach the network at the clock's time.
class alignas(64) SimRank final : public Comm {
public:
    SimRank() = default;
    void place(Simulation& simulation, Rank rank, Rank size, Strand& strand,
               std::uint32_t nic) noexcept;

    [[nodiscard]] Picoseconds now() const noexcept override { return clock_; }
    [[nodiscard]] Window expose(Buffer memory, std::int32_t signals) override;
    [[nodiscard]] OwnWindow allocate(Bytes size, bool has_data, std::int32_t signals) override;
    void begin_phase(const char* name) override;
    void charge(const LocalWork& work) override;
    [[nodiscard]] bool times_local_work() const noexcept override;

    /// Starts the rank's program at time 0.
    void start(sim::Worker& worker, Task task);
    [[nodiscard]] bool is_finished() const noexcept { return finished_; }
    [[nodiscard]] std::uint32_t nic() const noexcept { return nic_; }

    /// Asks for the memory that the arrival of `message` will touch: of its receive, and of the
    /// suspended coroutine.
    void prefetch(RequestPool& requests, const sim::Message& message) noexcept {
        posted_.prefetch(requests, match_key(message));
        if (pending_ > 2) return;
        fetch_ahead(leaf_.address());
        fetch_ahead(waiting_);
    }

    // What happens to the rank; called by Simulation.
    void message_arrived(sim::MessageId id, Picoseconds time);
    void put_arrived(sim::MessageId id, Picoseconds time);
    void complete(std::uint32_t request, Picoseconds time);
    void wake(const sim::Event& event);
    /// What the rank waits for, for people.
    [[nodiscard]] std::string waits_for() const;

private:
    Request start_send(Rank to, ConstBuffer data, Envelope envelope, SendMode mode) override;
    Request start_receive(Rank from, Buffer data, Envelope envelope) override;
    RequestPair start_exchange(const MessagePair& pair, Envelope envelope) override {
        const Request receive = start_receive(pair.from, pair.in, envelope);
        return {receive, start_send(pair.to, pair.out, envelope, SendMode::standard)};
    }
    Request start_put(Rank to, Window window, Bytes offset, ConstBuffer data,
                      std::int32_t signal) override;
    bool begin_wait(Waiting& waiting) override;
    void suspend(std::coroutine_handle<> leaf) noexcept override { leaf_ = leaf; }

    [[nodiscard]] std::uint32_t open_request(RequestRecord::Kind kind, Rank peer,
                                             Envelope envelope);
    [[nodiscard]] sim::MessageId new_message(Rank to, ConstBuffer data, Envelope envelope);
    void match(std::uint32_t request, sim::MessageId id, Picoseconds time);
    [[nodiscard]] const WindowRecord::Signal& signal_of(const Waiting& waiting) const;
    [[nodiscard]] bool is_eager(const sim::Message& message) const;
    [[nodiscard]] Picoseconds overhead_of(const RequestRecord& record) const;
    void take_completion(const RequestRecord& record);
    void consume(Request& request);
    void end_wait_for_sends() noexcept;
    [[nodiscard]] bool is_over(Waiting& waiting);
    [[nodiscard]] bool begin_all(Waiting& waiting);
    [[nodiscard]] bool begin_any(Waiting& waiting);
    [[nodiscard]] bool begin_compute(Waiting& waiting);
    [[nodiscard]] std::int64_t earliest_complete(const Waiting& waiting, Picoseconds until) const;
    void call_me(Picoseconds time);
    void resume();
    void end_phase();

    // First what every message touches.
    Picoseconds clock_ = 0;
    /// When the sends are over that the present wait has seen to complete.
    Picoseconds sends_over_ = 0;
    std::coroutine_handle<> leaf_;
    Waiting* waiting_ = nullptr;
    Simulation* simulation_ = nullptr;
    sim::Worker* worker_ = nullptr;
    MatchList<RequestRecord> posted_;
    MatchList<sim::Message> unexpected_;
    std::uint32_t pending_ = 0;
    /// Numbers the waits, so that a late wake-up call is recognised.
    std::uint32_t serial_ = 0;
    std::uint32_t sequence_ = 0;
    std::uint32_t nic_ = 0;
    /// Whether it waits for all requests of a list, as `waiting_` says, which may be far away.
    bool awaits_all_ = false;

    Task task_;
    Picoseconds phase_start_ = 0;
    std::int32_t phase_ = -1;
    bool finished_ = false;
    std::unique_ptr<Exposed> exposed_;
};

}  // namespace tradewind::simcomm

/// SideTask: a task that a simulated rank runs beside its program, such as a nonblocking
/// collective.
///
///     program    start   computation . . . . . . .   wait
///     task           \-- send, wait, send, wait --/
///
/// The task has a clock and a wait of its own, and shares the messages of its rank. What it does
/// before its first wait takes the time of the program, which makes that call. What it does later
/// takes none: another core does it. With weak progress it goes on only at times at which the
/// program is in a call.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tradewind/comm/program.hpp"
#include "tradewind/simcomm/rank/endpoint.hpp"
#include "tradewind/simcomm/rank/rank_wait.hpp"

namespace tradewind::simcomm {

class SideTask final : public Comm {
public:
    /// Starts a task at the time `now` of the program of `rank`. `context` and `endpoint` are those
    /// of the rank.
    SideTask(const Comm& rank, const RankContext& context, Endpoint& endpoint, Picoseconds now,
             Program program);

    [[nodiscard]] Picoseconds now() const noexcept override { return wait_.now(); }
    [[nodiscard]] Window expose(Buffer memory, std::int32_t signals) override;
    [[nodiscard]] OwnWindow allocate(Bytes size, bool has_data, std::int32_t signals) override;
    void charge(const LocalWork& work) override;
    [[nodiscard]] bool times_local_work() const noexcept override;

    /// Returns the time of the program after its call that has started the task.
    [[nodiscard]] Picoseconds busy() const noexcept { return wait_.busy(); }
    [[nodiscard]] bool is_over() const noexcept { return task_.done(); }
    /// Hands its request to the task, to be completed when it is over.
    void expect(std::uint32_t request) noexcept { request_ = request; }
    /// Ends the task, which is over. Throws its exception.
    [[nodiscard]] Completion finish();

    // Events that may end its wait. They return false if they are none of the task.
    [[nodiscard]] bool complete(std::uint32_t request, Picoseconds time);
    [[nodiscard]] bool wake(const sim::Event& event);
    [[nodiscard]] std::string waits_for() const { return wait_.describe(context_); }

private:
    Request start_send(Rank to, ConstBuffer data, Envelope envelope, SendMode mode) override {
        return endpoint_.send(context_, wait_.clock(), to, data, envelope, mode);
    }
    Request start_receive(Rank from, Buffer data, Envelope envelope) override {
        return endpoint_.receive(context_, wait_.now(), from, data, envelope);
    }
    Request start_put(Rank to, Window window, Bytes offset, ConstBuffer data,
                      std::int32_t signal) override;
    bool begin_wait(Waiting& waiting) override { return wait_.begin(context_, waiting, nullptr); }
    void suspend(std::coroutine_handle<> leaf) noexcept override { wait_.suspend(leaf); }

    void exchange_paths() noexcept;
    void resume();

    const RankContext& context_;
    Endpoint& endpoint_;
    RankWait wait_;
    Program program_;
    Task task_;
    CriticalPath::Branch path_;
    std::uint32_t request_ = none;
};

/// The tasks that a rank runs beside its program.
using SideTasks = std::vector<std::unique_ptr<SideTask>>;

}  // namespace tradewind::simcomm

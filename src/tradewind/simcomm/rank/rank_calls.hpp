/// RankCalls: the calls of recorded programs on a simulated rank, and the tasks beside its program.
#pragma once

#include <optional>
#include <string>

#include "tradewind/comm/simulated_calls.hpp"
#include "tradewind/simcomm/rank/side_task.hpp"

namespace tradewind::simcomm {

class RankCalls final : public SimulatedCalls {
public:
    /// Makes the calls of a rank, to which the other objects belong.
    RankCalls(const Comm& rank, const RankContext& context, RankWait& wait, Endpoint& endpoint)
        : rank_(rank), context_(context), wait_(wait), endpoint_(endpoint) {}

    [[nodiscard]] RequestPair access(AccessKind kind, Rank peer, Bytes bytes,
                                     bool returns_buffer) override;
    void notify(Rank to, NoticeKind kind, std::uint32_t window) override;
    [[nodiscard]] Request lock(Rank at, std::uint32_t window, bool is_exclusive) override;
    void unlock(Rank at, std::uint32_t window, bool is_exclusive) override;
    [[nodiscard]] Request run_beside(const Program& task) override;

    // Events. They return nothing if they are none of a task, and otherwise the request of the task
    // if it is over.
    [[nodiscard]] std::optional<Completion> complete(std::uint32_t request, Picoseconds time);
    [[nodiscard]] std::optional<Completion> wake(const sim::Event& event);
    /// Returns a description of the waits of tasks, for people.
    [[nodiscard]] std::string waits_for() const;

private:
    [[nodiscard]] Completion end(SideTasks::iterator task);

    const Comm& rank_;
    const RankContext& context_;
    RankWait& wait_;
    Endpoint& endpoint_;
    SideTasks tasks_;
};

}  // namespace tradewind::simcomm

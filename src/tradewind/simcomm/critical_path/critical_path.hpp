/// CriticalPath: what the last completion of a run had to wait for, back to the start.
///
/// Each rank has the step that led to its clock, and each message and request the step that led to
/// its state. Where a rank waits and something arrives later than its own clock, its path goes on
/// from there. The path of the rank that ends last is the critical path. It never waits: its steps
/// add up to the simulated time.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "tradewind/sim/network/journey_log.hpp"
#include "tradewind/simcomm/critical_path/path_tree.hpp"

namespace tradewind::simcomm {

/// The record of the paths of one process with one worker.
class CriticalPath {
public:
    explicit CriticalPath(std::size_t ranks) : ranks_(ranks) {}

    [[nodiscard]] sim::JourneyLog& journeys() noexcept { return journeys_; }
    void enter_phase(std::uint32_t rank, std::int32_t phase) { ranks_[rank].phase = phase; }

    /// Takes notice of what kept a rank busy until its clock showed `now`.
    void keep_busy(std::uint32_t rank, PathKind kind, Picoseconds now);
    /// Notes that a rank could go on at `now` because of a request, or because of a signal.
    void follow_request(std::uint32_t rank, std::uint32_t request, Picoseconds now);
    /// Notes that a wait of a rank needs a send to be over, and that the wait ends at `clock` or
    /// with the last of these sends.
    void await_send(std::uint32_t rank, std::uint32_t request);
    void end_sends(std::uint32_t rank, Picoseconds clock);
    void follow_signal(std::uint32_t rank, std::uint32_t window, std::uint32_t signal,
                       Picoseconds now);

    /// Puts a message on its way from its source.
    void send(const sim::Message& message, sim::MessageId id);
    /// Gives a part of the data of a message the path of the message so far.
    void split(sim::MessageId id, sim::MessageId part);
    /// Keeps the path of a rank that has posted a receive.
    void post(std::uint32_t rank, std::uint32_t request);
    /// Takes notice of a message that has come in, through the network or within its node.
    void deliver(const sim::Message& message, sim::MessageId id, Picoseconds time, bool is_in_node);
    /// Takes notice of a send, or a part of one, whose last byte has left its node.
    void leave(const sim::Message& message, sim::MessageId id, Picoseconds time);
    /// Notes that a message which arrived at `arrival` had to wait for another one, `first`.
    void hold(sim::MessageId id, sim::MessageId first, Picoseconds arrival);

    /// Notes that a message which arrived at `arrival` has met its receive. What comes of both
    /// waits for the later one.
    void match(sim::MessageId id, std::uint32_t request, Picoseconds arrival, Picoseconds posted);
    /// Notes that something of the kind kept a message until `time`.
    void delay(const sim::Message& message, sim::MessageId id, PathKind kind, Picoseconds time);
    /// Hands the path of a message to its receive, if it ends later than those of other parts.
    void complete(sim::MessageId id, std::uint32_t request);
    /// Hands the path of a put to its signal, or that of a notice to its counter.
    void raise(const sim::Message& message, sim::MessageId id, std::uint32_t number);

    /// The path of a rank, or of a task beside its program.
    struct Branch {
        StepId step = 0;
        /// The step that led to the end of the last send that it waits for.
        StepId send = 0;
        std::int32_t phase = -1;
        bool is_new = true;
    };
    /// Exchanges the path of a rank for that of its task, or back. A new one goes on from that of
    /// the rank.
    void exchange(std::uint32_t rank, Branch& other);
    /// Hands the path of a task that has ended to its request.
    void end_branch(Branch& branch, std::uint32_t request);

    /// Returns the path to the present state of a rank.
    [[nodiscard]] std::vector<PathStep> path_of(std::uint32_t rank) const;
    /// Returns the number of steps that are kept.
    [[nodiscard]] std::size_t steps() const noexcept { return tree_.size(); }

private:
    using SignalKey = std::pair<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>>;

    void move_to(std::uint32_t rank, StepId step, Picoseconds now);
    void append_journey(StepId& place, const PathStep& about, const sim::Journey& journey,
                        Picoseconds end);
    [[nodiscard]] PathStep about(const sim::Message& message, PathKind kind, StepId before) const;

    sim::JourneyLog journeys_;
    PathTree tree_;
    std::vector<Branch> ranks_;
    std::vector<StepId> messages_;
    std::vector<StepId> requests_;
    std::map<SignalKey, StepId> signals_;
};

}  // namespace tradewind::simcomm

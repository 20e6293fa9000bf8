/// The growth of paths.
#include "tradewind/simcomm/critical_path/critical_path.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "tradewind/simcomm/messages/message_kind.hpp"

namespace tradewind::simcomm {

namespace {

[[nodiscard]] StepId& slot(std::vector<StepId>& table, std::uint32_t index) {
    if (index >= table.size()) table.resize(std::max<std::size_t>(2 * table.size(), index + 1));
    return table[index];
}

}  // namespace

// ---- ranks ----

void CriticalPath::keep_busy(std::uint32_t rank, PathKind kind, Picoseconds now) {
    Branch& state = ranks_[rank];
    const PathStep& last = tree_[state.step];
    const bool same =
        last.kind == kind && last.rank == rank && last.partner == rank && last.phase == state.phase;
    if (same && tree_.extend(state.step, std::max(now, last.end))) return;
    tree_.append(state.step, {kind, 0, 0, rank, rank, state.phase}, now);
}

/// Lets a rank go on from `step`, which it keeps, at `now`.
void CriticalPath::move_to(std::uint32_t rank, StepId step, Picoseconds now) {
    Branch& state = ranks_[rank];
    tree_.keep(step);
    tree_.replace(state.step, step);
    if (tree_[step].end < now) keep_busy(rank, PathKind::overhead, now);
}

void CriticalPath::follow_request(std::uint32_t rank, std::uint32_t request, Picoseconds now) {
    StepId& step = slot(requests_, request);
    move_to(rank, step, now);
    tree_.replace(step, 0);
}

void CriticalPath::await_send(std::uint32_t rank, std::uint32_t request) {
    StepId& step = slot(requests_, request);
    StepId& last = ranks_[rank].send;
    if (tree_[step].end > tree_[last].end) {
        tree_.keep(step);
        tree_.replace(last, step);
    }
    tree_.replace(step, 0);
}

void CriticalPath::end_sends(std::uint32_t rank, Picoseconds clock) {
    StepId& last = ranks_[rank].send;
    if (tree_[last].end > clock) move_to(rank, last, tree_[last].end);
    tree_.replace(last, 0);
}

void CriticalPath::follow_signal(std::uint32_t rank, std::uint32_t window, std::uint32_t signal,
                                 Picoseconds now) {
    move_to(rank, signals_[{rank, {window, signal}}], now);
}

// ---- messages ----

/// Returns a step of a message, in the phase in which it was sent.
PathStep CriticalPath::about(const sim::Message& message, PathKind kind, StepId before) const {
    return {kind, 0, 0, message.source_rank, message.destination_rank, tree_[before].phase};
}

void CriticalPath::send(const sim::Message& message, sim::MessageId id) {
    const StepId step = ranks_[message.source_rank].step;
    tree_.keep(step);
    tree_.replace(slot(messages_, id), step);
}

void CriticalPath::split(sim::MessageId id, sim::MessageId part) {
    const StepId step = slot(messages_, id);
    tree_.keep(step);
    tree_.replace(slot(messages_, part), step);
}

void CriticalPath::post(std::uint32_t rank, std::uint32_t request) {
    tree_.keep(ranks_[rank].step);
    tree_.replace(slot(requests_, request), ranks_[rank].step);
}

void CriticalPath::deliver(const sim::Message& message, sim::MessageId id, Picoseconds time,
                           bool is_in_node) {
    StepId& place = slot(messages_, id);
    const bool is_control = simcomm::is_control(kind_of(message));
    if (is_in_node) {
        tree_.append(place,
                     about(message, is_control ? PathKind::rendezvous : PathKind::node_copy, place),
                     time);
        return;
    }
    const PathKind kind = is_control ? PathKind::rendezvous : PathKind::wire;
    append_journey(place, about(message, kind, place), journeys_.take(id), time);
}

/// Adds what a message met on its way. Waits count as far as they made the message late: packets
/// that wait behind those of their own message do not.
void CriticalPath::append_journey(StepId& place, const PathStep& about, const sim::Journey& journey,
                                  Picoseconds end) {
    PathStep step = about;
    step.kind = PathKind::injection_queue;
    tree_.append(place, step, journey.started);
    const auto sum = [](Picoseconds whole, const sim::PortWait& wait) {
        return whole + wait.queue + wait.credit;
    };
    const Picoseconds waits = std::accumulate(journey.waits.begin(), journey.waits.end(),
                                              journey.back_pressure + journey.memory, sum);
    const Picoseconds late = std::max<Picoseconds>(end - journey.started - journey.alone, 0);
    const double share = waits > late ? double(late) / double(waits) : 1.0;
    const auto wait = [&](PathKind kind, Picoseconds time) {
        step.kind = kind;
        const Picoseconds until = tree_[place].end + Picoseconds(share * double(time));
        tree_.append(place, step, std::min(until, end));
    };
    wait(PathKind::back_pressure, journey.back_pressure);
    for (const sim::PortWait& one : journey.waits) {
        step.location = std::int32_t(one.port.location);
        step.port = one.port.port;
        wait(PathKind::port_queue, one.queue);
        wait(PathKind::credit, one.credit);
    }
    step.location = step.port = PathStep::no_port;
    wait(PathKind::memory, journey.memory);
    tree_.append(place, about, end);
}

void CriticalPath::leave(const sim::Message& message, sim::MessageId id, Picoseconds time) {
    StepId step = slot(messages_, id);
    tree_.keep(step);
    tree_.append(step, about(message, PathKind::injection_queue, step), journeys_.start_of(id));
    tree_.append(step, about(message, PathKind::wire, step), time);
    tree_.keep_later(slot(requests_, message.send_request), step);
}

void CriticalPath::hold(sim::MessageId id, sim::MessageId first, Picoseconds arrival) {
    const StepId step = slot(messages_, first);
    if (tree_[step].end <= arrival) return;
    tree_.keep(step);
    tree_.replace(slot(messages_, id), step);
}

void CriticalPath::match(sim::MessageId id, std::uint32_t request, Picoseconds arrival,
                         Picoseconds posted) {
    if (posted <= arrival) return;
    const StepId step = slot(requests_, request);
    tree_.keep(step);
    tree_.replace(slot(messages_, id), step);
}

void CriticalPath::delay(const sim::Message& message, sim::MessageId id, PathKind kind,
                         Picoseconds time) {
    StepId& place = slot(messages_, id);
    tree_.append(place, about(message, kind, place), time);
}

void CriticalPath::complete(sim::MessageId id, std::uint32_t request) {
    tree_.keep_later(slot(requests_, request), std::exchange(slot(messages_, id), 0));
}

void CriticalPath::raise(const sim::Message& message, sim::MessageId id, std::uint32_t number) {
    StepId& signal = signals_[{message.destination_rank, {message.context, number}}];
    tree_.keep_later(signal, std::exchange(slot(messages_, id), 0));
}

void CriticalPath::exchange(std::uint32_t rank, Branch& other) {
    if (other.is_new) {
        tree_.keep(ranks_[rank].step);
        other = {ranks_[rank].step, 0, ranks_[rank].phase, false};
    }
    std::swap(ranks_[rank], other);
}

void CriticalPath::end_branch(Branch& branch, std::uint32_t request) {
    tree_.keep_later(slot(requests_, request), std::exchange(branch.step, 0));
}

std::vector<PathStep> CriticalPath::path_of(std::uint32_t rank) const {
    std::vector<PathStep> result;
    for (StepId id = ranks_[rank].step; id != 0; id = tree_.before(id)) result.push_back(tree_[id]);
    std::ranges::reverse(result);
    return result;
}

}  // namespace tradewind::simcomm

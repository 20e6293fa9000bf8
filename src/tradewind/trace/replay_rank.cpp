/// The bookkeeping of a rank.
#include "tradewind/trace/replay_rank.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tradewind/base/errors.hpp"
#include "tradewind/base/random.hpp"

namespace tradewind::trace {

namespace {

[[nodiscard]] Numbers items_of(const TraceView& trace, Rank rank) {
    const auto stream = std::size_t(trace.stream[std::size_t(rank)]);
    const auto first = std::size_t(trace.stream_first[stream]);
    const auto end = std::size_t(trace.stream_first[stream + 1]);
    return trace.items.subspan(2 * first, 2 * (end - first));
}

[[nodiscard]] std::unique_ptr<SubComm> make(Comm& world, const Members& members,
                                            std::uint64_t context) {
    const auto own = std::uint32_t(context);
    return members.list ? std::make_unique<SubComm>(world, members.list, own)
                        : std::make_unique<SubComm>(world, members.strided, own);
}

}  // namespace

ReplayRank::ReplayRank(Comm& comm, const ReplayPlan& plan)
    : world_(comm),
      plan_(plan),
      cursor_(items_of(plan.trace, comm.rank())),
      first_time_(std::size_t(plan.trace.time_first[std::size_t(comm.rank())])) {}

CallView ReplayRank::call() const {
    const TraceView& trace = plan_.trace;
    const Numbers event =
        trace.events.subspan(event_size * std::size_t(cursor_.event()), event_size);
    const Numbers all = trace.arguments.subspan(std::size_t(event[4]), std::size_t(event[5]));
    const bool has_slot = (event[2] & flag::nonblocking) != 0;
    return {Call(event[0]),
            event[1],
            event[2],
            event[3],
            all.first(all.size() - (has_slot ? 1 : 0)),
            has_slot ? all.back() : none};
}

const char* ReplayRank::phase() const noexcept {
    if (plan_.call_names.empty()) return nullptr;
    const std::int32_t name = plan_.call_name[std::size_t(cursor_.event())];
    return plan_.call_names[std::size_t(name)].c_str();
}

Picoseconds ReplayRank::mean(Numbers times) const {
    return times[first_time_ + cursor_.item()] / cursor_.turns();
}

Picoseconds ReplayRank::computed() const {
    const TraceView& trace = plan_.trace;
    switch (plan_.computation) {
        case ComputationTime::left_out:
            return 0;
        case ComputationTime::wall:
            return std::llround(double(mean(trace.computed)) * plan_.slowdown);
        case ComputationTime::processor:
            return std::llround(double(mean(trace.processor)) * plan_.slowdown);
    }
    return 0;
}

Picoseconds ReplayRank::inside() const {
    return plan_.computation == ComputationTime::left_out ? 0 : mean(plan_.trace.inside);
}

std::size_t ReplayRank::first_comm() const {
    return std::size_t(plan_.trace.comm_first[std::size_t(world_.rank())]);
}

LocalComm& ReplayRank::comm(std::int64_t number) {
    const TraceView& trace = plan_.trace;
    const std::size_t first = first_comm();
    const auto count = std::size_t(trace.comm_first[std::size_t(world_.rank()) + 1]) - first;
    if (number < 0 || std::size_t(number) >= count) fail(text("has no communicator ", number));
    if (comms_.size() < count) comms_.resize(count);
    auto& own = comms_[std::size_t(number)];
    if (own) return *own;
    // Ranks may get their communicators in different orders, but those of one group in the same.
    const Numbers groups = trace.comm_group.subspan(first, count);
    const std::int64_t group = groups[std::size_t(number)];
    const auto earlier = std::count(groups.begin(), groups.begin() + number, group);
    const std::uint64_t context = mix(std::uint64_t(group), std::uint64_t(earlier));
    const Members& members = plan_.groups[std::size_t(group)];
    own = std::make_unique<LocalComm>();
    own->context = context;
    own->messages = make(world_, members, mix(context, 1));
    own->collectives = make(world_, members, mix(context, 2));
    own->started = make(world_, members, mix(context, 3));
    own->collectives->keep_phase();
    return *own;
}

std::unique_ptr<SubComm> ReplayRank::comm_beside(Comm& beside, std::int64_t number) {
    constexpr std::uint64_t tasks = 3;
    LocalComm& own = comm(number);
    const auto group = std::size_t(plan_.trace.comm_group[first_comm() + std::size_t(number)]);
    return make(beside, plan_.groups[group], mix(mix(own.context, tasks), ++own.beside));
}

SimulatedCalls& ReplayRank::calls() const {
    SimulatedCalls* const found = world_.simulated();
    if (found == nullptr) fail("can be replayed by the simulator alone");
    return *found;
}

Rank ReplayRank::peer(const Comm& comm, std::int64_t offset) const {
    const Rank rank = comm.rank() + offset;
    if (rank < 0 || rank >= comm.size())
        fail(text("names rank ", rank, " of a communicator of ", comm.size()));
    return rank;
}

OpenRequest& ReplayRank::open(std::int64_t slot) {
    if (std::size_t(slot) >= slots_.size()) slots_.resize(std::size_t(slot) + 1);
    OpenRequest& request = slots_[std::size_t(slot)];
    if (!request.messages.empty())
        fail(text("starts request ", slot, " again before it is complete"));
    request.is_task = false;
    return request;
}

void ReplayRank::close(Numbers slots, std::vector<Request>& into) {
    into.clear();
    for (const std::int64_t slot : slots) {
        if (std::size_t(slot) >= slots_.size()) continue;
        auto& messages = slots_[std::size_t(slot)].messages;
        into.insert(into.end(), messages.begin(), messages.end());
        messages.clear();
    }
}

void ReplayRank::close_tasks(std::vector<Request>& into) {
    into.clear();
    for (OpenRequest& slot : slots_) {
        if (!slot.is_task) continue;
        into.insert(into.end(), slot.messages.begin(), slot.messages.end());
        slot.messages.clear();
    }
}

void ReplayRank::fail(const std::string& why) const {
    const CallView now = call();
    throw TraceError(text(plan_.name, ": rank ", world_.rank(), ", call ", cursor_.item(),
                          " of its stream (", call_infos[std::size_t(now.call)].name, "): ", why));
}

}  // namespace tradewind::trace

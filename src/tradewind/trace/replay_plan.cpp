/// The groups and strings of a trace.
#include "tradewind/trace/replay_plan.hpp"

#include <algorithm>

#include "tradewind/base/errors.hpp"
#include "tradewind/trace/call.hpp"

namespace tradewind::trace {

namespace {

[[nodiscard]] Members members_of(Numbers ranks) {
    const auto count = Rank(ranks.size());
    const Rank first = ranks.empty() ? 0 : ranks[0];
    const Rank stride = count > 1 ? ranks[1] - ranks[0] : 1;
    bool is_strided = stride != 0;
    for (Rank i = 0; i < count && is_strided; ++i)
        is_strided = ranks[std::size_t(i)] == first + i * stride;
    if (is_strided) return {{first, stride, count}, nullptr};
    return {{}, std::make_shared<const Group>(ranks.begin(), ranks.end())};
}

[[nodiscard]] std::vector<Members> read_groups(const TraceView& trace) {
    std::vector<Members> groups;
    for (std::size_t g = 0; g + 1 < trace.group_first.size(); ++g) {
        const auto first = std::size_t(trace.group_first[g]);
        const auto end = std::size_t(trace.group_first[g + 1]);
        groups.push_back(members_of(trace.group_ranks.subspan(first, end - first)));
    }
    return groups;
}

[[nodiscard]] std::vector<std::string> read_strings(const TraceView& trace) {
    std::vector<std::string> strings;
    for (std::size_t i = 0; i + 1 < trace.string_first.size(); ++i) {
        const auto first = std::size_t(trace.string_first[i]);
        strings.emplace_back(
            trace.strings.substr(first, std::size_t(trace.string_first[i + 1]) - first));
    }
    return strings;
}

/// Returns how many signals each window of puts with signals has, as far as they are used.
[[nodiscard]] std::vector<std::int32_t> count_signals(const TraceView& trace) {
    std::vector<std::int32_t> signals;
    for (std::size_t at = 0; at < trace.events.size(); at += event_size) {
        const auto call = Call(trace.events[at]);
        if (call != Call::put_signal && call != Call::wait_signal) continue;
        const auto first = std::size_t(trace.events[at + 4]);
        const auto window = std::size_t(trace.arguments[first]);
        const std::int64_t signal = trace.arguments[first + (call == Call::put_signal ? 3 : 1)];
        if (window >= signals.size()) signals.resize(window + 1);
        signals[window] = std::max(signals[window], std::int32_t(signal) + 1);
    }
    return signals;
}

template <class Algorithm>
[[nodiscard]] Choice<Algorithm> default_of(std::span<const Algorithm> table,
                                           const Operation& operation) {
    return choose(table, operation.name, operation.default_algorithm);
}

}  // namespace

ReplayPlan plan_replay(const TraceView& trace) {
    ReplayPlan plan;
    plan.trace = trace;
    ReplayChoices& choices = plan.choices.all;
    choices.barrier = default_of(barrier_algorithms(), barrier_operation);
    choices.bcast = default_of(bcast_algorithms(), bcast_operation);
    choices.reduce = default_of(reduce_algorithms(), reduce_operation);
    choices.gather = default_of(gather_algorithms(), gather_operation);
    choices.scatter = default_of(scatter_algorithms(), scatter_operation);
    choices.scan = default_of(scan_algorithms(), scan_operation);
    choices.reduce_scatter = default_of(reduce_scatter_algorithms(), reduce_scatter_operation);
    choices.allreduce = default_of(allreduce_algorithms(), allreduce_operation);
    choices.allgather = default_of(allgather_algorithms(), allgather_operation);
    choices.alltoallv = default_of(alltoallv_algorithms(), alltoallv_operation);
    choices.neighbor = default_of(neighbor_algorithms(), neighbor_operation);
    plan.signals = count_signals(trace);
    plan.groups = read_groups(trace);
    plan.strings = read_strings(trace);
    return plan;
}

void name_phases(ReplayPlan& plan, ReplayPhases phases) {
    if (phases == ReplayPhases::regions) return;
    std::map<std::string, std::int32_t> numbers;
    for (std::size_t at = 0; at < plan.trace.events.size(); at += event_size) {
        const Numbers event = plan.trace.events.subspan(at, event_size);
        const bool has_site = phases == ReplayPhases::sites && event[3] >= 0 &&
                              std::size_t(event[3]) < plan.strings.size();
        const std::string name = text(
            (event[2] & flag::nonblocking) != 0 ? "i" : "", call_infos[std::size_t(event[0])].name,
            has_site ? text(" ", plan.strings[std::size_t(event[3])]) : std::string());
        const auto [found, is_new] = numbers.try_emplace(name, std::int32_t(numbers.size()));
        if (is_new) plan.call_names.push_back(name);
        plan.call_name.push_back(found->second);
    }
}

}  // namespace tradewind::trace

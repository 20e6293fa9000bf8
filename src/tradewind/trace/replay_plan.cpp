/// The groups and strings of a trace.
#include "tradewind/trace/replay_plan.hpp"

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

template <class Algorithm>
[[nodiscard]] Choice<Algorithm> default_of(std::span<const Algorithm> table,
                                           const Operation& operation) {
    return choose(table, operation.name, operation.default_algorithm);
}

}  // namespace

ReplayPlan plan_replay(const TraceView& trace) {
    ReplayPlan plan;
    plan.trace = trace;
    plan.choices.barrier = default_of(barrier_algorithms(), barrier_operation);
    plan.choices.bcast = default_of(bcast_algorithms(), bcast_operation);
    plan.choices.reduce = default_of(reduce_algorithms(), reduce_operation);
    plan.choices.gather = default_of(gather_algorithms(), gather_operation);
    plan.choices.scatter = default_of(scatter_algorithms(), scatter_operation);
    plan.choices.scan = default_of(scan_algorithms(), scan_operation);
    plan.choices.reduce_scatter = default_of(reduce_scatter_algorithms(), reduce_scatter_operation);
    plan.choices.allreduce = default_of(allreduce_algorithms(), allreduce_operation);
    plan.choices.allgather = default_of(allgather_algorithms(), allgather_operation);
    plan.choices.alltoallv = default_of(alltoallv_algorithms(), alltoallv_operation);
    plan.choices.neighbor = default_of(neighbor_algorithms(), neighbor_operation);
    plan.groups = read_groups(trace);
    plan.strings = read_strings(trace);
    return plan;
}

}  // namespace tradewind::trace

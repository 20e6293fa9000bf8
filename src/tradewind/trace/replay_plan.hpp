/// ReplayPlan: a trace and the choices with which it is replayed, shared by all ranks.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tradewind/comm/allgather/allgather.hpp"
#include "tradewind/comm/allreduce/allreduce.hpp"
#include "tradewind/comm/alltoallv/alltoallv.hpp"
#include "tradewind/comm/barrier/barrier.hpp"
#include "tradewind/comm/bcast/bcast.hpp"
#include "tradewind/comm/choice.hpp"
#include "tradewind/comm/gather/gather.hpp"
#include "tradewind/comm/neighbor/neighbor.hpp"
#include "tradewind/comm/process_grid.hpp"
#include "tradewind/comm/reduce/reduce.hpp"
#include "tradewind/comm/reduce_scatter/reduce_scatter.hpp"
#include "tradewind/comm/scan/scan.hpp"
#include "tradewind/comm/scatter/scatter.hpp"
#include "tradewind/comm/sub_comm.hpp"
#include "tradewind/program/estimate.hpp"
#include "tradewind/trace/collectives/library_rules.hpp"
#include "tradewind/trace/flat_file.hpp"
#include "tradewind/trace/usage.hpp"

namespace tradewind::trace {

/// The time of computation between calls that a replay keeps.
enum class ComputationTime : std::uint8_t { processor, wall, left_out };

/// The phases of a replay: as the program marks them, or one for each operation, or one for each
/// operation at a call site.
enum class ReplayPhases : std::uint8_t { regions, calls, sites };

/// The members of a communicator: ranks in arithmetic progression, or a list.
struct Members {
    Strided strided;
    std::shared_ptr<const Group> list;
};

/// The algorithms of the collective operations. One that is null stands for `via_root`.
struct ReplayChoices {
    Choice<BarrierAlgorithm> barrier;
    Choice<BcastAlgorithm> bcast;
    Choice<ReduceAlgorithm> reduce;
    Choice<GatherAlgorithm> gather;
    Choice<ScatterAlgorithm> scatter;
    Choice<ScanAlgorithm> scan;
    Choice<ReduceScatterAlgorithm> reduce_scatter;
    Choice<AllreduceAlgorithm> allreduce;
    Choice<AllgatherAlgorithm> allgather;
    Choice<AlltoallvAlgorithm> alltoallv;
    Choice<NeighborAlgorithm> neighbor;
};

/// The algorithms of the calls at one call site, or of all calls.
struct ChoiceTable {
    ReplayChoices all;
    /// Those among which the rules of a library choose; empty: there are no rules.
    std::vector<ReplayChoices> by_rule;
    /// The choices of a tuning for the groups of calls that have some.
    std::map<CallGroup, ReplayChoices> of_group;

    /// Returns the algorithms of a call that is in a group by its bytes, and for which the rules of
    /// the library make a choice.
    [[nodiscard]] const ReplayChoices& of(const CallGroup& group, std::size_t choice) const {
        const auto tuned = of_group.find(group);
        if (tuned != of_group.end()) return tuned->second;
        return by_rule.empty() ? all : by_rule[choice];
    }
};

struct ReplayPlan {
    TraceView trace;
    /// The name of the trace in errors.
    std::string name = "trace";
    /// The file that holds the trace; none: it lies in memory.
    std::unique_ptr<const FlatFile> file;
    ComputationTime computation = ComputationTime::processor;
    /// The factor of the times of computation.
    double slowdown = 1.0;
    /// The operations per second of the node where it was recorded: computation takes as long as
    /// these operations on the machine; none: as long as in the recording.
    std::optional<double> recorded_flops;
    /// The library whose rules choose algorithms.
    ChoiceRules rules = ChoiceRules::none;
    /// The process grid of a pattern in two dimensions.
    std::optional<ProcessGrid> processes;
    /// The algorithms of calls, and those at call sites with algorithms of their own, by the
    /// strings of the sites.
    ChoiceTable choices;
    std::map<std::int64_t, ChoiceTable> choices_at;
    /// The signals of each window of puts with signals.
    std::vector<std::int32_t> signals;
    /// The members of each group.
    std::vector<Members> groups;
    /// The strings, whose addresses name phases.
    std::vector<std::string> strings;
    /// The names of phases that are calls, and for each event its place among them; both are empty
    /// if phases are those that the program marks.
    std::vector<std::string> call_names;
    std::vector<std::int32_t> call_name;

    /// Returns the algorithms of the calls at a site.
    [[nodiscard]] const ChoiceTable& choices_of(std::int64_t site) const {
        const auto own = choices_at.find(site);
        return own == choices_at.end() ? choices : own->second;
    }
    [[nodiscard]] Rank ranks() const noexcept { return Rank(trace.stream.size()); }
};

/// Returns a plan with the default algorithms.
[[nodiscard]] ReplayPlan plan_replay(const TraceView& trace);

/// Makes a phase of each operation, or of each operation at a call site.
void name_phases(ReplayPlan& plan, ReplayPhases phases);

/// Runs the calls of the rank of `comm`. Throws TraceError, naming rank and call, for one that
/// cannot be replayed.
Task replay(Comm& comm, const ReplayPlan& plan);

[[nodiscard]] Estimate estimate(const ReplayPlan& plan, Rank ranks);

}  // namespace tradewind::trace

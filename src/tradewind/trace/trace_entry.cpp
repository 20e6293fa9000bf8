/// The replay of a recorded program as a program of the catalogue.
#include "tradewind/base/data_file.hpp"
#include "tradewind/program/pattern.hpp"
#include "tradewind/trace/replay_plan.hpp"

namespace tradewind::trace {

namespace {

constexpr auto trace =
    declare::file("trace", "recording of `tradewind record`, or another trace that it can read")
        .required();
constexpr auto computation = declare::one_of<ComputationTime>(
    "computation", "time between calls: by processor time, by wall clock, or none",
    {{"processor", ComputationTime::processor},
     {"wall", ComputationTime::wall},
     {"none", ComputationTime::left_out}});
constexpr auto slowdown =
    declare::real("slowdown", "factor of the times of computation", 1.0).within(0.0, 1e9);

/// Declares the algorithm of a collective operation.
[[nodiscard]] constexpr auto algorithm_of(const Operation& operation, std::string_view meaning) {
    return declare::word(operation.name, meaning, operation.default_algorithm);
}

constexpr auto barrier =
    algorithm_of(barrier_operation, "algorithm of barriers, as NAME:KEY=VALUE,...");
constexpr auto bcast =
    algorithm_of(bcast_operation, "algorithm of broadcasts, as NAME:KEY=VALUE,...");
constexpr auto reduce =
    algorithm_of(reduce_operation, "algorithm of reduces, as NAME:KEY=VALUE,...");
constexpr auto gather =
    algorithm_of(gather_operation, "algorithm of gathers of equal blocks, as NAME:KEY=VALUE,...");
constexpr auto scatter =
    algorithm_of(scatter_operation, "algorithm of scatters of equal blocks, as NAME:KEY=VALUE,...");
constexpr auto scan =
    algorithm_of(scan_operation, "algorithm of scans and exclusive scans, as NAME:KEY=VALUE,...");
constexpr auto reduce_scatter =
    algorithm_of(reduce_scatter_operation, "algorithm of reduce-scatters, as NAME:KEY=VALUE,...");
constexpr auto allreduce =
    algorithm_of(allreduce_operation, "algorithm of allreduces, as NAME:KEY=VALUE,...");
constexpr auto allgather =
    algorithm_of(allgather_operation, "algorithm of allgathers and allgathervs, as NAME:KEY=VALUE,...");
constexpr auto alltoallv =
    algorithm_of(alltoallv_operation, "algorithm of alltoalls and alltoallvs, as NAME:KEY=VALUE,...");
constexpr auto neighbor =
    algorithm_of(neighbor_operation, "algorithm of neighbourhood collectives, as NAME:KEY=VALUE,...");

constexpr const Declaration* settings_of_trace[] = {&trace, &computation, &slowdown, &barrier, &bcast, &reduce, &gather, &scatter, &scan, &reduce_scatter, &allreduce, &allgather, &alltoallv, &neighbor};

template <class Algorithm>
[[nodiscard]] Choice<Algorithm> choice_of(const Settings& settings, const auto& declared,
                                          std::span<const Algorithm> table) {
    return choose(table, declared.key, declared.of(settings));
}

ReplayPlan read(const Settings& settings, Rank ranks) {
    refuse_unknown("trace", settings, {settings_of_trace});
    auto file = std::make_unique<const FlatFile>(path_of_file(trace.of(settings)));
    ReplayPlan plan = plan_replay(file->view());
    plan.file = std::move(file);
    if (ranks != plan.ranks())
        throw ConfigError(text("trace: ranks = ", ranks, ", but it holds ", plan.ranks()));
    plan.computation = computation.of(settings);
    plan.slowdown = slowdown.of(settings);
    plan.barrier = choice_of(settings, barrier, barrier_algorithms());
    plan.bcast = choice_of(settings, bcast, bcast_algorithms());
    plan.reduce = choice_of(settings, reduce, reduce_algorithms());
    plan.gather = choice_of(settings, gather, gather_algorithms());
    plan.scatter = choice_of(settings, scatter, scatter_algorithms());
    plan.scan = choice_of(settings, scan, scan_algorithms());
    plan.reduce_scatter = choice_of(settings, reduce_scatter, reduce_scatter_algorithms());
    plan.allreduce = choice_of(settings, allreduce, allreduce_algorithms());
    plan.allgather = choice_of(settings, allgather, allgather_algorithms());
    plan.alltoallv = choice_of(settings, alltoallv, alltoallv_algorithms());
    plan.neighbor = choice_of(settings, neighbor, neighbor_algorithms());
    return plan;
}

Task start(Comm& comm, const ReplayPlan& plan) {
    return replay(comm, plan);
}

}  // namespace

Estimate estimate(const ReplayPlan& plan, Rank ranks) {
    return count_messages(ranks, [&](Comm& comm) { return replay(comm, plan); });
}

extern const ProgramEntry entry;
constinit const ProgramEntry entry =
    pattern_entry<read, start>("trace", "the calls of a recorded program", settings_of_trace);

}  // namespace tradewind::trace

/// The replay of a recorded program as a program of the catalogue.
#include "tradewind/base/data_file.hpp"
#include "tradewind/program/pattern.hpp"
#include "tradewind/trace/replay_plan.hpp"

namespace tradewind::trace {

namespace {

constexpr auto trace =
    declare::file("trace", "recording of `tradewind record`, or another trace that it can read")
        .required();
constexpr auto computation = declare::one_of<Computation>(
    "computation", "time between calls: by processor time, by wall clock, or none",
    {{"processor", Computation::processor},
     {"wall", Computation::wall},
     {"none", Computation::left_out}});
constexpr auto slowdown =
    declare::real("slowdown", "factor of the times of computation", 1.0).within(0.0, 1e9);

constexpr auto barrier = declare::word("barrier", "algorithm of barriers, as NAME:KEY=VALUE,...",
                                       barrier_operation.default_algorithm);
constexpr auto bcast = declare::word("bcast", "algorithm of broadcasts, as NAME:KEY=VALUE,...",
                                     bcast_operation.default_algorithm);
constexpr auto allreduce =
    declare::word("allreduce", "algorithm of allreduces, as NAME:KEY=VALUE,...",
                  allreduce_operation.default_algorithm);
constexpr auto allgather =
    declare::word("allgather", "algorithm of allgathers, as NAME:KEY=VALUE,...",
                  allgather_operation.default_algorithm);
constexpr auto alltoallv =
    declare::word("alltoallv", "algorithm of alltoalls and alltoallvs, as NAME:KEY=VALUE,...",
                  alltoallv_operation.default_algorithm);
constexpr auto neighbor =
    declare::word("neighbor", "algorithm of neighbourhood collectives, as NAME:KEY=VALUE,...",
                  neighbor_operation.default_algorithm);

constexpr const Declaration* settings_of_trace[] = {
    &trace,     &computation, &slowdown,  &barrier, &bcast,
    &allreduce, &allgather,   &alltoallv, &neighbor};

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
constinit const ProgramEntry entry = pattern_entry<read, start>(
    "trace", "the calls of a recorded program", settings_of_trace);

}  // namespace tradewind::trace

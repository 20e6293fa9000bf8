/// The transposition as a program.
#include "tradewind/program/pattern.hpp"
#include "tradewind/skeleton/read_plan.hpp"

namespace tradewind::skeleton {

namespace {

constexpr auto backward =
    declare::truth("backward", "whether each chain of stages is followed by its reverse", false);
constexpr auto stage = declare::one_of<std::int64_t>(
    "stage", "the only stage that is run", {{"all", -1}, {"xz", 0}, {"xy", 1}, {"yz", 2}});

constexpr const Declaration* settings_of_transposition[] = {
    &shared::grid,   &shared::processes, &shared::element_size,
    &shared::fields, &shared::repeat,    &backward,
    &stage};

[[nodiscard]] std::vector<OperationUse> uses(const Transposition& plan, Rank /*ranks*/) {
    std::vector<OperationUse> result;
    for (std::size_t i = 0; i < stage_names.size(); ++i) {
        if (plan.only_stage >= 0 && std::size_t(plan.only_stage) != i) continue;
        const StageShape shape = stage_shape(plan, i);
        result.push_back({"alltoallv", shape.group, shape.block, stage_names[i], plan.repeat, ""});
    }
    return result;
}

Task start(Comm& comm, const Transposition& plan) {
    return transpose(comm, plan);
}

Transposition read(const Settings& settings, Rank ranks) {
    refuse_unknown("transposition", settings,
                   {settings_of_transposition, algorithm_settings::any_transport});
    Transposition plan;
    plan.grid = read_grid(settings);
    plan.processes = read_processes(settings, ranks, transposition_limits(plan.grid));
    plan.elements = read_elements(settings, plan.grid);
    read_stages(settings, plan);
    plan.repeat = shared::repeat.of(settings);
    plan.backward = backward.of(settings);
    plan.only_stage = stage.of(settings);
    if (plan.only_stage >= 0 && plan.backward)
        throw ConfigError("backward = true: needs stage = \"all\"");
    return plan;
}

}  // namespace

extern const ProgramEntry transposition_entry;
constinit const ProgramEntry transposition_entry = pattern_entry<read, start, uses>(
    "transposition", "three alltoallv stages from grid space to spectral space",
    settings_of_transposition, "alltoallv");

}  // namespace tradewind::skeleton

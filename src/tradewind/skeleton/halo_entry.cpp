/// The wide halo exchange as a program.
#include "tradewind/program/pattern.hpp"
#include "tradewind/skeleton/read_plan.hpp"

namespace tradewind::skeleton {

namespace {

constexpr auto width =
    declare::whole("width", "width of the halo in points").within(1, large).required();

constexpr const Declaration* settings_of_halo[] = {&shared::grid,         &shared::processes,
                                                   &shared::element_size, &shared::fields,
                                                   &shared::repeat,       &width};

[[nodiscard]] std::vector<OperationUse> uses(const Halo& plan, Rank ranks) {
    return {{"neighbor", ranks, average_message(plan), "", 2 * plan.repeat, ""}};
}

Task start(Comm& comm, const Halo& plan) {
    return exchange_halo(comm, plan);
}

Halo read(const Settings& settings, Rank ranks) {
    refuse_unknown("halo", settings, {settings_of_halo, algorithm_settings::two_sided});
    Halo plan;
    plan.grid = read_grid(settings);
    plan.processes = read_processes(settings, ranks, halo_limits(plan.grid));
    plan.elements = read_elements(settings, plan.grid);
    plan.width = width.of(settings);
    check_halo_width(plan.width, plan.grid);
    plan.repeat = shared::repeat.of(settings);
    const auto choice = read_neighbor(settings, ranks, average_message(plan));
    plan.algorithm = choice.algorithm;
    plan.options = choice.options;
    return plan;
}

}  // namespace

extern const ProgramEntry halo_entry;
constinit const ProgramEntry halo_entry = pattern_entry<read, start, uses>(
    "halo", "wide halo exchange in two sweeps, corners included", settings_of_halo, "neighbor");

}  // namespace tradewind::skeleton

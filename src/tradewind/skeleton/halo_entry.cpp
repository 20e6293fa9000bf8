/// The wide halo exchange as a program.
#include "tradewind/program/pattern.hpp"
#include "tradewind/skeleton/read_plan.hpp"

namespace tradewind::skeleton {

namespace {

constexpr auto width =
    declare::whole("width", "width of the halo in points").within(1, large).required();

constexpr auto processes =
    declare::whole_list("processes", "process grid [cx, cy]; default: that of `process_grid`", 2);
/// The process grid where none is given.
enum class GridRule : std::uint8_t { least_bytes, squarest };
constexpr auto process_grid = declare::one_of<GridRule>(
    "process_grid",
    "process grid that is chosen: that which sends the fewest bytes, or the squarest",
    {{"least_bytes", GridRule::least_bytes}, {"squarest", GridRule::squarest}});
constexpr auto periodic =
    declare::whole_list("periodic", "whether x and y are periodic; default: both are", 2)
        .within(0, 1);
constexpr auto corners = declare::truth(
    "corners", "whether the corners are filled, for which the sweep along y waits for that along x",
    true);

constexpr const Declaration* settings_of_halo[] = {
    &shared::grid, &processes, &process_grid, &shared::element_size, &shared::fields,
    &width,        &periodic,  &corners,      &shared::repeat};

[[nodiscard]] std::vector<OperationUse> uses(const Halo& plan, Rank ranks) {
    return {
        {"neighbor", ranks, average_message(plan), "", (plan.corners ? 2 : 1) * plan.repeat, ""}};
}

Task start(Comm& comm, const Halo& plan) {
    return exchange_halo(comm, plan);
}

[[nodiscard]] ProcessGrid choose_processes(const Settings& settings, const Halo& plan, Rank ranks) {
    const bool is_given = settings.has("processes");
    if (is_given || process_grid.of(settings) == GridRule::squarest)
        return read_processes(settings, ranks, halo_limits(plan.grid));
    return least_process_grid(plan, ranks);
}

Halo read(const Settings& settings, Rank ranks) {
    refuse_unknown("halo", settings, {settings_of_halo, algorithm_settings::two_sided});
    Halo plan;
    plan.grid = read_grid(settings);
    plan.elements = read_elements(settings, plan.grid);
    plan.width = width.of(settings);
    check_halo_width(plan.width, plan.grid);
    const auto around = periodic.of(settings, {1, 1});
    plan.periodic = {around[0] == 1, around[1] == 1};
    plan.corners = corners.of(settings);
    plan.processes = choose_processes(settings, plan, ranks);
    plan.repeat = shared::repeat.of(settings);
    const auto choice = read_neighbor(settings, ranks, average_message(plan));
    plan.algorithm = choice.algorithm;
    plan.options = choice.options;
    return plan;
}

}  // namespace

extern const ProgramEntry halo_entry;
constinit const ProgramEntry halo_entry = pattern_entry<read, start, uses>(
    "halo", "wide halo exchange in two sweeps, or at once without corners", settings_of_halo,
    "neighbor");

}  // namespace tradewind::skeleton

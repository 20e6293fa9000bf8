/// The semi-Lagrangian halo and whole time steps as programs.
#include "tradewind/program/pattern.hpp"
#include "tradewind/skeleton/read_plan.hpp"
#include "tradewind/skeleton/time_step/time_step.hpp"

namespace tradewind::skeleton {

namespace {

constexpr double picoseconds = 1e12;
constexpr double fastest_wind = 1e4;
constexpr double most_work = 1e12;

constexpr auto fields = declare::whole("fields", "fields that are advected", 5).within(1, large);
constexpr auto trajectory_fields =
    declare::whole("trajectory_fields", "winds that trajectories need over the whole halo", 3)
        .within(0, large);
constexpr auto exchange = declare::one_of<bool>(
    "exchange",
    "columns around departure points: a halo as wide as the fastest wind, or those asked for",
    {{"wide", false}, {"on_demand", true}});
constexpr auto time_step =
    declare::duration("time_step", "time step", 30 * picoseconds_per_second).within(1, 1e18);
constexpr auto spacing =
    declare::real("spacing_m", "distance of grid points in m; 1390 m are 0.0125 degrees", 1390.0)
        .within(1e-3, 1e7);
constexpr auto max_wind =
    declare::real("max_wind_m_s", "fastest wind that the halo allows for, in m/s", 200.0)
        .within(1e-3, 1e5);
constexpr auto jet =
    declare::real("jet_m_s", "speed of the jets in m/s", 60.0).within(0.0, fastest_wind);
constexpr auto wave =
    declare::real("wave_m_s", "speed of the waves in m/s", 30.0).within(0.0, fastest_wind);
constexpr auto point_flops =
    declare::real("point_flops", "operations per grid point: physics and advection", 5000.0)
        .within(0.0, most_work);
constexpr auto point_memory =
    declare::size("point_memory", "bytes moved per grid point: physics and advection", 5000)
        .within(0, most_work);
constexpr auto transforms =
    declare::whole("transforms", "fields that go to spectral space and back", 5).within(1, large);
constexpr auto method = declare::one_of<bool>("method", "solver of the Helmholtz equation",
                                              {{"gcr", false}, {"pipelined_gcr", true}});
constexpr auto slices =
    declare::whole("slices", "parts of the computation between looks after a pipelined reduction",
                   Gcr{}.slices)
        .within(1, large);

constexpr const Declaration* settings_of_halo[] = {&shared::grid,
                                                   &shared::processes,
                                                   &shared::element_size,
                                                   &shared::repeat,
                                                   &fields,
                                                   &trajectory_fields,
                                                   &exchange,
                                                   &time_step,
                                                   &spacing,
                                                   &max_wind,
                                                   &jet,
                                                   &wave};
constexpr const Declaration* settings_of_spectral_step[] = {&shared::grid,
                                                            &shared::processes,
                                                            &shared::element_size,
                                                            &shared::repeat,
                                                            &fields,
                                                            &trajectory_fields,
                                                            &exchange,
                                                            &time_step,
                                                            &spacing,
                                                            &max_wind,
                                                            &jet,
                                                            &wave,
                                                            &point_flops,
                                                            &point_memory,
                                                            &transforms};
constexpr const Declaration* settings_of_grid_point_step[] = {&shared::grid,
                                                              &shared::processes,
                                                              &shared::element_size,
                                                              &shared::repeat,
                                                              &fields,
                                                              &trajectory_fields,
                                                              &exchange,
                                                              &time_step,
                                                              &spacing,
                                                              &max_wind,
                                                              &jet,
                                                              &wave,
                                                              &point_flops,
                                                              &point_memory,
                                                              &shared::iterations,
                                                              &shared::restart,
                                                              &method,
                                                              &slices};

[[nodiscard]] DepartureSettings read_departures(const Settings& settings, const Extents& grid) {
    DepartureSettings departures;
    departures.plane.grid = grid;
    departures.plane.spacing_m = spacing.of(settings);
    departures.plane.time_step_s = double(time_step.of(settings)) / picoseconds;
    departures.wind.jet = jet.of(settings);
    departures.wind.wave = wave.of(settings);
    return departures;
}

/// Reads the halo with the settings of trajectories; `limits` are those of the program's process
/// grid.
[[nodiscard]] OnDemandHalo read_halo(const Settings& settings, Rank ranks,
                                     const ProcessLimits& limits) {
    OnDemandHalo plan;
    Halo& wide = plan.wide;
    wide.grid = read_grid(settings);
    wide.processes = read_processes(settings, ranks, limits);
    wide.elements = {shared::element_size.of(settings), fields.of(settings)};
    const DepartureSettings departures = read_departures(settings, wide.grid);
    wide.width = halo_width(departures.plane, max_wind.of(settings));
    check_halo_width(wide.width, wide.grid);
    plan.column = wide.grid[2] * wide.elements.per_point();
    plan.trajectories = wide;
    plan.trajectories.elements.fields = trajectory_fields.of(settings);
    wide.elements.fields += plan.trajectories.elements.fields;
    check_bytes(double(wide.grid[0]) * double(wide.grid[1]) * double(wide.grid[2]) *
                double(wide.elements.per_point()));
    plan.on_demand = exchange.of(settings);
    if (plan.on_demand) find_needed(plan, departures);
    return plan;
}

[[nodiscard]] AdvectionStep read_advection(const Settings& settings, Rank ranks,
                                           const ProcessLimits& limits) {
    return {{point_flops.of(settings), double(point_memory.of(settings))},
            read_halo(settings, ranks, limits)};
}

[[nodiscard]] Transposition read_transforms(const Settings& settings, const Halo& halo) {
    Transposition plan;
    plan.grid = halo.grid;
    plan.processes = halo.processes;
    plan.elements = {halo.elements.size, transforms.of(settings)};
    read_stages(settings, plan);
    plan.backward = true;
    plan.work = transform_work(plan.grid, plan.elements.fields, plan.elements.size);
    return plan;
}

[[nodiscard]] Gcr read_solver(const Settings& settings, const Halo& halo) {
    Gcr plan;
    plan.is_pipelined = method.of(settings);
    plan.slices = slices.of(settings);
    read_iterations(settings, halo.processes.cx * halo.processes.cy, plan);
    if (plan.is_pipelined &&
        (plan.algorithm->name != "recursive_k" || !plan.options.protocol.is_default())) {
        throw ConfigError(text("pipelined_gcr reduces with recursive_k and without a protocol, ",
                               "not with ", plan.algorithm->name));
    }
    plan.halo = halo;
    plan.halo->elements.fields = 1;
    plan.halo->width = 1;
    plan.operators = operator_work(halo.elements.size);
    plan.vectors = vector_work(halo.elements.size, plan.restart, plan.is_pipelined);
    return plan;
}

[[nodiscard]] std::vector<OperationUse> uses_of_spectral_step(const SpectralStep& plan,
                                                              Rank /*ranks*/) {
    std::vector<OperationUse> result;
    for (std::size_t i = 0; i < stage_names.size(); ++i) {
        const StageShape shape = stage_shape(plan.transforms, i);
        result.push_back(
            {"alltoallv", shape.group, shape.block, stage_names[i], plan.transforms.repeat, ""});
    }
    return result;
}
[[nodiscard]] std::vector<OperationUse> uses_of_grid_point_step(const GridPointStep& plan,
                                                                Rank ranks) {
    const Gcr& solver = plan.solver;
    return {{"allreduce", ranks, longest_reduction(solver) * Bytes(sizeof(double)), "",
             (solver.is_pipelined ? 1 : 2) * solver.iterations * solver.repeat, ""}};
}

Task start_semi_lagrangian_halo(Comm& comm, const OnDemandHalo& plan) {
    return exchange_on_demand(comm, plan);
}
Task start_spectral_step(Comm& comm, const SpectralStep& plan) {
    return step(comm, plan);
}
Task start_grid_point_step(Comm& comm, const GridPointStep& plan) {
    return step(comm, plan);
}

OnDemandHalo read_semi_lagrangian_halo(const Settings& settings, Rank ranks) {
    refuse_unknown("semi_lagrangian_halo", settings, {settings_of_halo});
    OnDemandHalo plan = read_halo(settings, ranks, halo_limits(read_grid(settings)));
    plan.repeat = shared::repeat.of(settings);
    return plan;
}

SpectralStep read_spectral_step(const Settings& settings, Rank ranks) {
    refuse_unknown("spectral_step", settings,
                   {settings_of_spectral_step, algorithm_settings::two_sided});
    SpectralStep plan;
    plan.advection = read_advection(settings, ranks, transposition_limits(read_grid(settings)));
    plan.transforms = read_transforms(settings, plan.advection.halo.wide);
    plan.repeat = shared::repeat.of(settings);
    return plan;
}

GridPointStep read_grid_point_step(const Settings& settings, Rank ranks) {
    refuse_unknown("grid_point_step", settings,
                   {settings_of_grid_point_step, algorithm_settings::two_sided});
    GridPointStep plan;
    plan.advection = read_advection(settings, ranks, halo_limits(read_grid(settings)));
    plan.solver = read_solver(settings, plan.advection.halo.wide);
    plan.repeat = shared::repeat.of(settings);
    return plan;
}

}  // namespace

extern const ProgramEntry semi_lagrangian_halo_entry;
extern const ProgramEntry spectral_step_entry;
extern const ProgramEntry grid_point_step_entry;
constinit const ProgramEntry semi_lagrangian_halo_entry =
    pattern_entry<read_semi_lagrangian_halo, start_semi_lagrangian_halo>(
        "semi_lagrangian_halo", "halo as wide as the largest wind, or only what the wind needs",
        settings_of_halo);
constinit const ProgramEntry spectral_step_entry =
    pattern_entry<read_spectral_step, start_spectral_step, uses_of_spectral_step>(
        "spectral_step", "a time step of a spectral model: halo, transforms",
        settings_of_spectral_step, "alltoallv");
constinit const ProgramEntry grid_point_step_entry =
    pattern_entry<read_grid_point_step, start_grid_point_step, uses_of_grid_point_step>(
        "grid_point_step", "a time step of a grid-point model: halo, solver GCR(k)",
        settings_of_grid_point_step, "allreduce");

}  // namespace tradewind::skeleton

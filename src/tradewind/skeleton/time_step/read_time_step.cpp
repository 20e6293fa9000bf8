/// Settings of the semi-Lagrangian halo and of whole time steps.
#include "tradewind/skeleton/time_step/read_time_step.hpp"

#include "tradewind/skeleton/read_plan.hpp"

namespace tradewind::skeleton {

namespace {

constexpr double picoseconds = 1e12;
constexpr double fastest_wind = 1e4;
constexpr double most_work = 1e12;

[[nodiscard]] DepartureSettings read_departures(const Settings& settings, const Extents& grid) {
    DepartureSettings departures;
    departures.plane.grid = grid;
    departures.plane.spacing_m = real_number(settings, "spacing_m", 1390.0, 1e-3, 1e7);
    departures.plane.time_step_s =
        double(settings.whole("time_step", std::int64_t(30 * picoseconds), 1,
                              std::int64_t(1e6 * picoseconds))) /
        picoseconds;
    departures.wind.jet = real_number(settings, "jet_m_s", 60.0, 0.0, fastest_wind);
    departures.wind.wave = real_number(settings, "wave_m_s", 30.0, 0.0, fastest_wind);
    return departures;
}

/// With data for trajectories; `limits` are those of the program's process grid.
[[nodiscard]] OnDemandHalo read_halo(const Settings& settings, Rank ranks,
                                     const ProcessLimits& limits) {
    OnDemandHalo plan;
    Halo& wide = plan.wide;
    wide.grid = read_grid(settings);
    wide.processes = read_processes(settings, ranks, limits);
    wide.elements = {settings.whole("element_size", 8, 1, large),
                     settings.whole("fields", 5, 1, large)};
    const DepartureSettings departures = read_departures(settings, wide.grid);
    wide.width =
        halo_width(departures.plane, real_number(settings, "max_wind_m_s", 200.0, 1e-3, 1e5));
    check_halo_width(wide.width, wide.grid);
    plan.column = wide.grid[2] * wide.elements.per_point();
    plan.trajectories = wide;
    plan.trajectories.elements.fields = settings.whole("trajectory_fields", 3, 0, large);
    wide.elements.fields += plan.trajectories.elements.fields;
    check_bytes(double(wide.grid[0]) * double(wide.grid[1]) * double(wide.grid[2]) *
                double(wide.elements.per_point()));
    plan.on_demand = is_second(settings, "exchange", "wide", "on_demand");
    if (plan.on_demand) find_needed(plan, departures);
    return plan;
}

[[nodiscard]] Advection read_advection(const Settings& settings, Rank ranks,
                                       const ProcessLimits& limits) {
    return {{real_number(settings, "point_flops", 5000.0, 0.0, most_work),
             double(settings.whole("point_memory", 5000, 0, std::int64_t(most_work)))},
            read_halo(settings, ranks, limits)};
}

[[nodiscard]] Transposition read_transforms(const Settings& settings, const Halo& halo) {
    Transposition plan;
    plan.grid = halo.grid;
    plan.processes = halo.processes;
    plan.elements = {halo.elements.size, settings.whole("transforms", 5, 1, large)};
    read_stages(settings, plan);
    plan.backward = true;
    plan.work = transform_work(plan.grid, plan.elements.fields, plan.elements.size);
    return plan;
}

[[nodiscard]] Gcr read_solver(const Settings& settings, const Halo& halo) {
    Gcr plan;
    plan.is_pipelined = is_second(settings, "method", "gcr", "pipelined_gcr");
    plan.slices = settings.whole("slices", plan.slices, 1, large);
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

}  // namespace

OnDemandHalo read_semi_lagrangian_halo(const Settings& settings, Rank ranks) {
    refuse_unknown("semi_lagrangian_halo", settings, semi_lagrangian_halo_keys);
    OnDemandHalo plan = read_halo(settings, ranks, halo_limits(read_grid(settings)));
    plan.repeat = read_repeat(settings);
    return plan;
}

SpectralStep read_spectral_step(const Settings& settings, Rank ranks) {
    refuse_unknown("spectral_step", settings, spectral_step_keys);
    SpectralStep plan;
    plan.advection = read_advection(settings, ranks, transposition_limits(read_grid(settings)));
    plan.transforms = read_transforms(settings, plan.advection.halo.wide);
    plan.repeat = read_repeat(settings);
    return plan;
}

GridPointStep read_grid_point_step(const Settings& settings, Rank ranks) {
    refuse_unknown("grid_point_step", settings, grid_point_step_keys);
    GridPointStep plan;
    plan.advection = read_advection(settings, ranks, halo_limits(read_grid(settings)));
    plan.solver = read_solver(settings, plan.advection.halo.wide);
    plan.repeat = read_repeat(settings);
    return plan;
}

}  // namespace tradewind::skeleton

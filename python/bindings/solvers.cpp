/// Results of the solvers as dictionaries.
#include "solvers.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "array.hpp"
#include "settings.hpp"
#include "tradewind/models/helmholtz/solve.hpp"
#include "tradewind/models/semi_lagrangian/run.hpp"
#include "tradewind/simcomm/virtual_ranks.hpp"

namespace nb = nanobind;

namespace tradewind::bindings {

namespace {

[[nodiscard]] Settings settings_from(const nb::dict& settings) {
    nb::dict spec;
    spec["solver"] = settings;
    return sections_from(spec).at("solver");
}

/// Simulates without the interpreter's lock.
[[nodiscard]] simcomm::Traffic simulate(std::int64_t ranks, const Program& program) {
    const nb::gil_scoped_release no_gil;
    return simcomm::run_virtual(ranks, program);
}

void add_traffic(nb::dict& result, const ColumnGrid& grid, const simcomm::Traffic& traffic) {
    result["processes"] = nb::make_tuple(grid.processes.cx, grid.processes.cy);
    result["messages"] = traffic.messages;
    result["bytes"] = traffic.bytes;
    result["simulated_s"] = seconds(traffic.time);
}

void add_grid(nb::dict& result, const semi_lagrangian::Plan& plan) {
    constexpr double degrees = 180 / semi_lagrangian::pi;
    std::vector<double> longitudes;
    std::vector<double> latitudes;
    std::vector<double> heights;
    for (std::int64_t i = 0; i < plan.nx(); ++i) longitudes.push_back(plan.longitude(i) * degrees);
    for (std::int64_t j = 0; j < plan.ny(); ++j) latitudes.push_back(plan.latitude(j) * degrees);
    for (std::int64_t k = 0; k < plan.levels; ++k) heights.push_back(plan.height(k));
    const auto nx = std::size_t(plan.nx());
    const auto ny = std::size_t(plan.ny());
    const auto nz = std::size_t(plan.levels);
    result["longitude_deg"] = owning_array(std::move(longitudes), {nx});
    result["latitude_deg"] = owning_array(std::move(latitudes), {ny});
    result["height_m"] = owning_array(std::move(heights), {nz});
}

void add_halo(nb::dict& result, const semi_lagrangian::Result& found) {
    nb::dict halo;
    halo["columns"] = found.halo_columns;
    halo["columns_sent"] = found.sent_columns;
    halo["messages"] = found.traffic.messages;
    halo["bytes"] = found.traffic.bytes;
    halo["request_messages"] = found.traffic.request_messages;
    halo["request_bytes"] = found.traffic.request_bytes;
    result["halo"] = halo;
}

}  // namespace

nb::dict run_semi_lagrangian(const nb::dict& settings, std::int64_t ranks,
                             const nb::object& progress) {
    const semi_lagrangian::Plan plan = semi_lagrangian::make_plan(settings_from(settings), ranks);
    const semi_lagrangian::Progress tell = [&](std::int64_t step) {
        const nb::gil_scoped_acquire gil;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        if (!progress.is_none()) progress(step);
    };
    std::vector<semi_lagrangian::Result> results(static_cast<std::size_t>(ranks));
    const auto traffic = simulate(ranks, [&](Comm& comm) {
        return run_model(comm, plan, results[std::size_t(comm.rank())], tell);
    });
    const semi_lagrangian::Result& found = results.front();
    nb::dict result;
    add_grid(result, plan);
    result["tracer"] = owning_array(
        found.tracer, {std::size_t(plan.ny()), std::size_t(plan.nx()), std::size_t(plan.levels)});
    if (found.has_norms) {
        nb::dict norms;
        norms["l1"] = found.norms.l1;
        norms["l2"] = found.norms.l2;
        norms["maximum"] = found.norms.maximum;
        result["error"] = norms;
    }
    result["initial_mean"] = found.initial_mean;
    result["mean"] = found.mean;
    result["lowest"] = found.lowest;
    result["highest"] = found.highest;
    result["fastest_wind_m_s"] = found.fastest_wind;
    result["courant"] = found.courant;
    result["halo_rows"] = plan.halo_rows;
    add_halo(result, found);
    add_traffic(result, plan.reach.grid, traffic);
    return result;
}

nb::dict run_helmholtz(const nb::dict& settings, std::int64_t ranks) {
    constexpr std::int64_t most_iterations = 1000;
    const helmholtz::Plan plan =
        helmholtz::make_plan(settings_from(settings), ranks, most_iterations);
    std::vector<helmholtz::Solution> solutions(static_cast<std::size_t>(ranks));
    const auto traffic = simulate(
        ranks, [&](Comm& comm) { return solve(comm, plan, solutions[std::size_t(comm.rank())]); });
    const helmholtz::Solution& found = solutions.front();
    nb::dict result;
    result["iterations"] = found.iterations;
    result["reductions"] = found.reductions;
    result["residuals"] = found.residuals;
    result["true_residual"] = found.true_residual;
    result["error"] = found.error;
    result["rhs_norm"] = found.rhs_norm;
    add_traffic(result, plan.reach.grid, traffic);
    return result;
}

}  // namespace tradewind::bindings

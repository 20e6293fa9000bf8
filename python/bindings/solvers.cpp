/// Results of the solvers as dictionaries.
#include "solvers.hpp"

#include <nanobind/stl/string.h>

#include "array.hpp"
#include "settings.hpp"
#include "tradewind/models/helmholtz/report.hpp"
#include "tradewind/models/semi_lagrangian/report.hpp"
#include "tradewind/simcomm/virtual_ranks.hpp"

namespace nb = nanobind;

namespace tradewind::bindings {

namespace {

[[nodiscard]] Settings settings_from(const nb::dict& settings) {
    nb::dict spec;
    spec["solver"] = settings;
    return sections_from(spec).at("solver");
}

/// Runs the program without the interpreter's lock.
[[nodiscard]] simcomm::Traffic simulate(std::int64_t ranks, const Program& program) {
    const nb::gil_scoped_release no_gil;
    return simcomm::run_virtual(ranks, program);
}

/// Returns the report of a model's run with its traffic.
[[nodiscard]] nb::dict dictionary(const std::string& report, const simcomm::Traffic& traffic) {
    auto result = nb::cast<nb::dict>(nb::module_::import_("json").attr("loads")(report));
    result["messages"] = traffic.messages;
    result["bytes"] = traffic.bytes;
    result["simulated_s"] = seconds(traffic.time);
    return result;
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
    nb::dict result = dictionary(report(plan, found), traffic);
    result["tracer"] = owning_array(
        found.tracer, {std::size_t(plan.ny()), std::size_t(plan.nx()), std::size_t(plan.levels)});
    return result;
}

nb::dict run_helmholtz(const nb::dict& settings, std::int64_t ranks) {
    const helmholtz::Plan plan =
        helmholtz::make_plan(settings_from(settings), ranks, helmholtz::most_iterations);
    std::vector<helmholtz::Solution> solutions(static_cast<std::size_t>(ranks));
    const auto traffic = simulate(
        ranks, [&](Comm& comm) { return solve(comm, plan, solutions[std::size_t(comm.rank())]); });
    return dictionary(report(plan, solutions.front()), traffic);
}

}  // namespace tradewind::bindings

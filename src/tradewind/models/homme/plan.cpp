/// Reads and checks the settings.
#include "tradewind/models/homme/plan.hpp"

#include <algorithm>
#include <cmath>

#include "tradewind/models/homme/se_kernels.hpp"
#include "tradewind/models/homme/settings.hpp"
#include "tradewind/models/homme/stability.hpp"

namespace tradewind::homme {

namespace {

constexpr double seconds_per_day = 86400.0;
constexpr double default_days = 9.0;

[[nodiscard]] double seconds(std::int64_t picoseconds) {
    return double(picoseconds) / double(picoseconds_per_second);
}

/// Returns the longest of some round steps that is not above 9600 s / ne.
[[nodiscard]] double default_step(std::int64_t ne) {
    for (const double step : {1800.0, 1200.0, 900.0, 600.0, 450.0, 300.0, 200.0, 150.0, 100.0, 75.0,
                              60.0, 50.0, 40.0, 30.0, 20.0, 15.0, 10.0, 5.0, 4.0, 3.0, 2.0})
        if (step * double(ne) <= 9600.0) return step;
    return 1.0;
}

/// Returns the hyperviscosity of CAM-SE, which grows with the spacing to the power 3.2.
[[nodiscard]] double default_hyperviscosity(std::int64_t ne) {
    return 1e15 * std::pow(30.0 / double(ne), 3.2);
}

/// Returns the number of steps in `length` seconds, which must be whole.
[[nodiscard]] std::int64_t whole_steps(double length, const HommePlan& plan,
                                       const Declaration& setting, double value) {
    const double count = std::round(length / plan.time_step);
    if (count >= 1 && std::abs(count * plan.time_step - length) <= 1e-9 * length)
        return std::int64_t(count);
    throw ConfigError(text(setting.key, " = ", value, ": expected a multiple of the time step, ",
                           plan.time_step, " s"));
}

void read_time(const Settings& settings, HommePlan& plan) {
    const auto step = given::time_step.find(settings);
    plan.time_step = step ? seconds(*step) : default_step(plan.mesh.ne());
    plan.steps = given::steps.of(settings, 1);
    const auto days = given::days.find(settings);
    if (days && settings.has("steps"))
        throw ConfigError("days: give either days or steps, not both");
    if (days) plan.steps = whole_steps(*days * seconds_per_day, plan, given::days, *days);
    if (const auto hours = given::output_every_hours.find(settings))
        plan.output_every = whole_steps(*hours * 3600, plan, given::output_every_hours, *hours);
}

void check_steps(HommePlan& plan) {
    const StableSteps stable = stable_steps(plan.mesh.ne(), plan.rule, plan.hyperviscosity);
    plan.largest_stable_step =
        std::min(stable.runge_kutta, stable.viscosity * double(plan.viscosity_steps));
    if (plan.time_step <= plan.largest_stable_step) return;
    const bool is_wave = stable.runge_kutta <= plan.largest_stable_step;
    throw ConfigError(text(
        "homme: time_step = ", plan.time_step, " s is not stable with ne = ", plan.mesh.ne(),
        is_wave ? text(": the fastest waves allow ")
                : text(": hyperviscosity of ", plan.hyperviscosity, " m^4/s in ",
                       plan.viscosity_steps, " substeps allows "),
        "at most ", std::floor(plan.largest_stable_step), " s"));
}

}  // namespace

std::shared_ptr<const HommePlan> make_plan(const Settings& settings, Rank ranks) {
    refuse_unknown("homme", settings, {given::always, given::with_data});
    check_ranks("homme", ranks);
    const std::int64_t ne = given::ne.of(settings);
    if (ranks > 6 * ne * ne) {
        throw ConfigError(text("homme: ", ranks, " ranks are more than the ", 6 * ne * ne,
                               " elements of ne = ", ne));
    }
    const auto plan = std::make_shared<HommePlan>(ne, se_np, ranks);
    plan->levels = hybrid_levels(given::levels.of(settings));
    plan->flow = given::case_name.of(settings);
    plan->remap_every = given::remap_every.of(settings);
    plan->viscosity_steps = given::viscosity_steps.of(settings);
    plan->hyperviscosity = given::hyperviscosity.of(settings, default_hyperviscosity(ne));
    plan->top_viscosity = given::top_viscosity.of(settings);
    read_time(settings, *plan);
    check_steps(*plan);
    plan->schedule = given::schedule.of(settings);
    plan->order = given::order.of(settings);
    plan->algorithm = given::exchange.of(settings, "");
    plan->options.protocol = find_protocol(options::protocol.of(settings));
    plan->latitudes = given::grid_latitudes.of(settings, 6 * ne);
    plan->longitudes = 2 * plan->latitudes;
    return plan;
}

}  // namespace tradewind::homme

/// Reads and checks the settings.
#include "tradewind/models/homme/plan.hpp"

#include <algorithm>
#include <cmath>

#include "tradewind/models/homme/constants.hpp"
#include "tradewind/models/homme/dg/dg_kernels.hpp"
#include "tradewind/models/homme/settings.hpp"
#include "tradewind/models/homme/stability.hpp"

namespace tradewind::homme {

namespace {

constexpr double seconds_per_day = 86400.0;
constexpr double default_days = 9.0;

[[nodiscard]] double seconds(std::int64_t picoseconds) {
    return double(picoseconds) / double(picoseconds_per_second);
}

/// Returns the limits of the discontinuous Galerkin core.
[[nodiscard]] StableSteps stable_dg_steps(const HommePlan& plan) {
    return stable_dg_steps(plan.mesh.ne(), plan.rule, plan.wave_speed, plan.viscosity);
}

/// Returns the longest of some round steps that is not above `most` seconds.
[[nodiscard]] double default_step(double most) {
    for (const double step :
         {1800.0, 1200.0, 900.0, 600.0, 450.0, 300.0, 200.0, 180.0, 150.0, 100.0, 75.0,
          60.0,   50.0,   40.0,  30.0,  20.0,  15.0,  10.0,  5.0,   4.0,   3.0,   2.0})
        if (step <= most) return step;
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
    const bool is_se = plan.method == Discretisation::spectral_elements;
    const double stable =
        is_se ? 9600.0 / double(plan.mesh.ne()) : 0.9 * stable_dg_steps(plan).runge_kutta;
    const auto step = given::time_step.find(settings);
    plan.time_step = step ? seconds(*step) : default_step(stable);
    plan.steps = given::steps.of(settings, 1);
    const auto days = given::days.find(settings);
    if (days && settings.has("steps"))
        throw ConfigError("days: give either days or steps, not both");
    if (days) plan.steps = whole_steps(*days * seconds_per_day, plan, given::days, *days);
    if (const auto hours = given::output_every_hours.find(settings))
        plan.output_every = whole_steps(*hours * 3600, plan, given::output_every_hours, *hours);
}

void check_steps(HommePlan& plan) {
    const StableSteps stable = plan.method == Discretisation::spectral_elements
                                   ? stable_steps(plan.mesh.ne(), plan.rule, plan.hyperviscosity)
                                   : stable_dg_steps(plan);
    plan.largest_stable_step =
        std::min(stable.runge_kutta, stable.viscosity * double(plan.viscosity_steps));
    if (plan.time_step <= plan.largest_stable_step) return;
    const bool is_wave = stable.runge_kutta <= plan.largest_stable_step;
    throw ConfigError(text("homme: time_step = ", plan.time_step,
                           " s is not stable with ne = ", plan.mesh.ne(),
                           is_wave ? text(": the fastest waves allow ")
                           : plan.method == Discretisation::spectral_elements
                               ? text(": hyperviscosity of ", plan.hyperviscosity, " m^4/s in ",
                                      plan.viscosity_steps, " substeps allows ")
                               : text(": viscosity of ", plan.viscosity, " m^2/s allows "),
                           "at most ", std::floor(plan.largest_stable_step), " s"));
}

/// Throws ConfigError if a setting of the other method is given.
void refuse(const Settings& settings, std::string_view method,
            std::initializer_list<const Declaration*> others) {
    for (const Declaration* const other : others) {
        if (settings.has(other->name()))
            throw ConfigError(text("homme: method = \"", method, "\" has no ", other->key));
    }
}

void read_se(const Settings& settings, HommePlan& plan) {
    refuse(settings, "se", {&given::viscosity, &given::wave_speed});
    plan.viscosity_steps = given::viscosity_steps.of(settings, 3);
    plan.hyperviscosity =
        given::hyperviscosity.of(settings, default_hyperviscosity(plan.mesh.ne()));
    plan.top_viscosity = given::top_viscosity.of(settings, 2.5e5);
    plan.connectivity = given::connectivity.of(settings, Connectivity::edges_and_corners);
    if (plan.connectivity == Connectivity::edges) {
        throw ConfigError(
            "homme: connectivity = \"edges\" needs method = \"dg\"; the sums of spectral elements "
            "need corners");
    }
    plan.overlaps = given::overlap.of(settings) == given::Overlap::computation;
    if (plan.overlaps) {
        throw ConfigError(
            "homme: overlap = \"computation\" needs method = \"dg\"; a stage of spectral elements "
            "has nothing to compute between send and receive");
    }
}

void read_dg(const Settings& settings, HommePlan& plan) {
    refuse(settings, "dg",
           {&given::viscosity_steps, &given::hyperviscosity, &given::top_viscosity, &given::order});
    plan.viscosity_steps = 1;
    plan.viscosity = given::viscosity.of(settings, 2e5);
    plan.wave_speed = given::wave_speed.of(settings, 300.0);
    plan.connectivity = given::connectivity.of(settings, Connectivity::edges);
    plan.overlaps = given::overlap.of(settings) == given::Overlap::computation;
}

void read_exchange(const Settings& settings, HommePlan& plan) {
    plan.schedule = given::schedule.of(settings, MeshSchedule::synchronous);
    if (plan.overlaps && plan.schedule == MeshSchedule::synchronous && settings.has("schedule"))
        throw ConfigError("homme: overlap = \"computation\" needs schedule = \"on_arrival\"");
    if (plan.overlaps) plan.schedule = MeshSchedule::on_arrival;
    plan.order = given::order.of(settings, MeshOrder::fixed);
    plan.algorithm = given::exchange.of(settings, "");
    plan.options.protocol = find_protocol(options::protocol.of(settings));
}

}  // namespace

JablonowskiWilliamson HommePlan::initial_flow() const {
    return {earth_radius, earth_rotation, gas_constant, gravity, flow == FlowCase::baroclinic_wave};
}

MeshExchangeOptions HommePlan::exchange_options() const {
    MeshExchangeOptions result;
    result.schedule = schedule;
    result.order = order;
    result.algorithm = algorithm;
    result.options = options;
    return result;
}

std::shared_ptr<const HommePlan> make_plan(const Settings& settings, Rank ranks) {
    refuse_unknown("homme", settings, {given::always, given::with_data});
    check_ranks("homme", ranks);
    const std::int64_t ne = given::ne.of(settings);
    if (ranks > 6 * ne * ne) {
        throw ConfigError(text("homme: ", ranks, " ranks are more than the ", 6 * ne * ne,
                               " elements of ne = ", ne));
    }
    const Discretisation method = given::method.of(settings);
    const bool is_se = method == Discretisation::spectral_elements;
    const auto plan = std::make_shared<HommePlan>(ne, is_se ? se_np : dg_np, ranks);
    plan->method = method;
    plan->levels = hybrid_levels(given::levels.of(settings));
    plan->flow = given::case_name.of(settings);
    plan->remap_every = given::remap_every.of(settings, is_se ? 3 : 1);
    if (is_se) {
        read_se(settings, *plan);
    } else {
        read_dg(settings, *plan);
    }
    read_exchange(settings, *plan);
    read_time(settings, *plan);
    check_steps(*plan);
    plan->latitudes = given::grid_latitudes.of(settings, 6 * ne);
    plan->longitudes = 2 * plan->latitudes;
    return plan;
}

}  // namespace tradewind::homme

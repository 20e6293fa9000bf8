/// Reads and checks the settings.
#include "tradewind/models/homme/plan.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tradewind/models/homme/constants.hpp"
#include "tradewind/models/homme/dg/dg_kernels.hpp"
#include "tradewind/models/homme/exchange.hpp"
#include "tradewind/models/homme/settings.hpp"
#include "tradewind/models/plan_checks.hpp"

namespace tradewind::homme {

namespace {

constexpr double seconds_per_day = 86400.0;
constexpr double baroclinic_days = 9.0;
/// The default filter time of discontinuous Galerkin with ne = 1, in s; it falls with the spacing.
constexpr double filter_time_of_one = 28800.0;
constexpr double usual_filter_order = 8.0;
constexpr double radians_per_degree = std::numbers::pi / 180;

[[nodiscard]] double seconds(std::int64_t picoseconds) {
    return double(picoseconds) / double(picoseconds_per_second);
}

/// Returns the number of a case of williamson1992, or 0 for the primitive equations.
[[nodiscard]] std::int64_t williamson_number(FlowCase flow) {
    switch (flow) {
        case FlowCase::williamson2:
            return 2;
        case FlowCase::williamson3:
            return 3;
        case FlowCase::williamson5:
            return 5;
        case FlowCase::williamson6:
            return 6;
        default:
            return 0;
    }
}

/// The largest speeds of the beginning, in m/s.
struct Speeds {
    double wind = 0.0;
    double gravity_wave = 0.0;
};

/// Returns the largest speeds on a grid of two degrees.
[[nodiscard]] Speeds largest_speeds(const williamson::TestCase& test) {
    Speeds found;
    constexpr int latitudes = 90;
    for (int j = 0; j < latitudes; ++j) {
        const double latitude = (2 * j + 1 - latitudes) * radians_per_degree;
        for (int i = 0; i < 2 * latitudes; ++i) {
            const auto flow = test.initial({i * 2 * radians_per_degree, latitude});
            found.wind = std::max(found.wind, std::hypot(flow.wind.east, flow.wind.north));
            found.gravity_wave =
                std::max(found.gravity_wave, std::sqrt(std::max(flow.geopotential, 0.0)));
        }
    }
    return found;
}

/// Returns the limits of the steps of the plan's method.
[[nodiscard]] StableSteps limits_of(const HommePlan& plan) {
    const WaveLimits waves{finest_spacing(plan.mesh.ne(), plan.rule, plan.radius()),
                           plan.fastest_wave};
    return plan.method == Discretisation::spectral_elements
               ? stable_steps(waves, plan.rule, plan.hyperviscosity)
               : stable_dg_steps(waves, plan.wave_speed, plan.viscosity);
}

/// Returns a time in s, rounded down to three digits at least.
[[nodiscard]] double rounded_down(double seconds) {
    double unit = 1.0;
    while (unit > 1e-9 && seconds < 100.0 * unit) unit /= 10.0;
    return std::floor(seconds / unit) * unit;
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

/// Reads the time step and the length: of a run, or of one step without data.
void read_time(const Settings& settings, HommePlan& plan, bool is_run) {
    const StableSteps stable = limits_of(plan);
    // The steps of CAM-SE: 600 s for ne = 16.
    const bool is_cam = plan.method == Discretisation::spectral_elements && !plan.shallow_water;
    const double most = is_cam ? 9600.0 / double(plan.mesh.ne()) : 0.9 * stable.runge_kutta;
    const auto step = given::time_step.find(settings);
    plan.time_step = step ? seconds(*step) : default_step(most);
    plan.steps = given::steps.of(settings, 1);
    const auto days = given::days.find(settings);
    if (days && settings.has("steps"))
        throw ConfigError("days: give either days or steps, not both");
    if (days || (is_run && !settings.has("steps"))) {
        const std::int64_t number = williamson_number(plan.flow);
        const double usual = number > 0 ? williamson::test_case(number).days : baroclinic_days;
        const double length = days ? *days : usual;
        plan.steps = whole_steps(length * seconds_per_day, plan.time_step, given::days, length);
    }
    if (const auto hours = given::output_every_hours.find(settings))
        plan.output_every =
            whole_steps(*hours * 3600, plan.time_step, given::output_every_hours, *hours);
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
                           "at most ", rounded_down(plan.largest_stable_step), " s"));
}

/// Reads the flow and the vertical.
void read_flow(const Settings& settings, HommePlan& plan) {
    plan.flow = given::case_name.of(settings);
    const double alpha = given::alpha.of(settings) * radians_per_degree;
    if (const std::int64_t number = williamson_number(plan.flow); number > 0) {
        refuse_given("homme", settings, "shallow water",
                     {&given::remap_every, &given::top_viscosity, &given::filter_time,
                      &given::filter_order});
        plan.shallow_water = williamson::make_test_case(number, alpha);
        plan.layers = given::levels.of(settings, 1);
        const Speeds speeds = largest_speeds(*plan.shallow_water);
        plan.fastest_wave = speeds.wind + speeds.gravity_wave;
        plan.wave_speed = speeds.gravity_wave;
        plan.top_viscosity = 0.0;
        return;
    }
    if (alpha != 0.0) {
        throw ConfigError(text("homme: alpha_deg = ", given::alpha.of(settings),
                               " needs case = \"williamson2\" or \"williamson3\"; the jets of "
                               "Jablonowski and Williamson are not turned"));
    }
    plan.layers = given::levels.of(settings, 26);
    plan.levels = hybrid_levels(plan.layers);
    plan.wave_speed = 300.0;
    const bool is_se = plan.method == Discretisation::spectral_elements;
    plan.remap_every = given::remap_every.of(settings, is_se ? 3 : 1);
    plan.top_viscosity = given::top_viscosity.of(settings, 2.5e5);
}

void read_se(const Settings& settings, HommePlan& plan) {
    refuse_given(
        "homme", settings, "method = \"se\"",
        {&given::viscosity, &given::filter_time, &given::filter_order, &given::wave_speed});
    plan.viscosity_steps = given::viscosity_steps.of(settings, 3);
    plan.hyperviscosity =
        given::hyperviscosity.of(settings, default_hyperviscosity(plan.mesh.ne()));
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
    refuse_given("homme", settings, "method = \"dg\"",
                 {&given::viscosity_steps, &given::hyperviscosity, &given::top_viscosity,
                  &exchange_settings::order});
    plan.viscosity_steps = 1;
    plan.viscosity = given::viscosity.of(settings, 0.0);
    if (!plan.shallow_water) {
        const auto time = given::filter_time.find(settings);
        plan.filter_time = time ? seconds(*time) : filter_time_of_one / double(plan.mesh.ne());
    }
    plan.filter_order = given::filter_order.of(settings, usual_filter_order);
    plan.wave_speed = given::wave_speed.of(settings, plan.wave_speed);
    plan.connectivity = given::connectivity.of(settings, Connectivity::edges);
    plan.overlaps = given::overlap.of(settings) == given::Overlap::computation;
    if (plan.overlaps && plan.shallow_water) {
        throw ConfigError(
            "homme: overlap = \"computation\" needs the primitive equations; a stage of shallow "
            "water has one kernel, which needs the neighbours");
    }
}

/// Reads the elements of the ranks, where the curve does not give them.
void read_elements(const Settings& settings, HommePlan& plan) {
    const auto method = given::partition.of(settings, given::PartitionMethod::curve);
    const auto list = given::partition_file.find(settings);
    if (list) {
        if (method == given::PartitionMethod::curve && settings.has(given::partition.name()))
            throw ConfigError("homme: partition = \"curve\" has no partition_file");
        plan.partition = read_partition(*list, plan.mesh.elements(), plan.ranks(), partition_words);
    } else if (method == given::PartitionMethod::metis) {
        throw ConfigError(
            "homme: partition = \"metis\": a program alone has no METIS and needs partition_file; "
            "`tradewind partition` writes one");
    }
}

void set_output_grid(HommePlan& plan) {
    std::vector<double> latitudes;
    std::vector<double> longitudes;
    for (std::int64_t j = 0; j < plan.latitudes; ++j) latitudes.push_back(plan.latitude_deg(j));
    for (std::int64_t i = 0; i < plan.longitudes; ++i) longitudes.push_back(plan.longitude_deg(i));
    plan.grid.emplace(plan.mesh, plan.geometry, latitudes, longitudes);
}

[[nodiscard]] std::shared_ptr<const HommePlan> read(const Settings& settings, Rank ranks,
                                                    bool is_run) {
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
    read_elements(settings, *plan);
    read_flow(settings, *plan);
    if (is_se) {
        read_se(settings, *plan);
    } else {
        read_dg(settings, *plan);
    }
    read_exchange(settings, *plan);
    read_time(settings, *plan, is_run);
    plan->latitudes = given::grid_latitudes.of(settings, 6 * ne);
    plan->longitudes = 2 * plan->latitudes;
    plan->shows_points = given::native_grid.of(settings);
    if (is_run) set_output_grid(*plan);
    return plan;
}

}  // namespace

double HommePlan::radius() const noexcept {
    return shallow_water ? williamson::radius : earth_radius;
}

double HommePlan::coriolis(const PointGeometry& point) const {
    return shallow_water ? shallow_water->coriolis(lon_lat(point))
                         : 2 * earth_rotation * std::sin(point.latitude);
}

double HommePlan::surface_geopotential(const PointGeometry& point) const {
    return shallow_water ? shallow_water->ground(lon_lat(point))
                         : initial_flow().surface_geopotential(point.latitude);
}

williamson::LonLat lon_lat(const PointGeometry& point) {
    const double turn = point.longitude < 0 ? 2 * std::numbers::pi : 0.0;
    return {point.longitude + turn, point.latitude};
}

JablonowskiWilliamson HommePlan::initial_flow() const {
    return {earth_radius, earth_rotation, gas_constant, gravity, flow == FlowCase::baroclinic_wave};
}

std::shared_ptr<const HommePlan> make_plan(const Settings& settings, Rank ranks) {
    return read(settings, ranks, false);
}

std::shared_ptr<const HommePlan> make_run_plan(const Settings& settings, Rank ranks) {
    return read(settings, ranks, true);
}

}  // namespace tradewind::homme

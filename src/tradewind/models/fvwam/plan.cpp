/// Reads and checks the settings.
#include "tradewind/models/fvwam/plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>

#include "tradewind/models/fvwam/forcing/great_circle.hpp"
#include "tradewind/models/fvwam/mesh/cell_order.hpp"
#include "tradewind/models/fvwam/mesh/mesh_checks.hpp"
#include "tradewind/models/fvwam/settings.hpp"
#include "tradewind/models/fvwam/sources/source_terms.hpp"
#include "tradewind/models/plan_checks.hpp"

namespace tradewind::fvwam {

namespace {

constexpr double radians_per_degree = std::numbers::pi / 180;
constexpr double usual_hours = 24.0;
/// The period of the lunar tide M2.
constexpr double usual_tide_hours = 12.42;
constexpr double seconds_per_hour = 3600.0;
/// Waves that are shorter are capillary ones, which the physics does not have.
constexpr double highest_frequency = 10.0;  // Hz
/// The last frequency over that of the peak. At 10 m/s a spectrum that ends at 2.4 times the peak
/// has waves 15 % too high after a day, one that ends at 1.8 times the peak 90 %.
constexpr double peak_to_last = 2.2;

[[nodiscard]] SpectralGrid read_spectrum(const Settings& settings) {
    return {given::directions.of(settings), given::frequencies.of(settings),
            given::first_frequency.of(settings), given::frequency_ratio.of(settings)};
}

/// Returns the ranks of cells along the curve.
[[nodiscard]] ItemPartition cut_curve(std::span<const double> longitude,
                                      std::span<const double> latitude, Rank ranks) {
    const std::vector<std::int32_t> order = hilbert_order(longitude, latitude);
    const Partition parts(std::int64_t(order.size()), ranks);
    std::vector<Rank> owners(order.size());
    for (Rank rank = 0; rank < ranks; ++rank)
        for (std::int64_t n = parts.start(rank); n < parts.start(rank) + parts.size(rank); ++n)
            owners[std::size_t(order[std::size_t(n)])] = rank;
    return {owners, ranks, partition_words};
}

/// Distributes the cells. A run with data has read their places with the mesh.
[[nodiscard]] ItemPartition make_partition(const Settings& settings, const std::string& path,
                                           std::int64_t cells, Rank ranks,
                                           const VoronoiMesh* mesh) {
    check_ranks("fvwam", ranks);
    if (ranks > cells) {
        throw ConfigError(text("fvwam: ", ranks, " ranks are more than the ", cells,
                               " sea cells of ", name_of_file(path), "; each rank needs a cell"));
    }
    const auto method = given::partition.find(settings);
    const auto list = given::partition_file.find(settings);
    if (list && method && *method != CellDistribution::metis)
        throw ConfigError("fvwam: partition = \"curve\" or \"consecutive\" has no partition_file");
    if (list) return read_partition(*list, cells, ranks, partition_words);
    if (method == CellDistribution::metis) {
        throw ConfigError(
            "fvwam: partition = \"metis\" needs partition_file; the command tradewind makes it");
    }
    if (method == CellDistribution::consecutive) return {cells, ranks};
    if (mesh != nullptr) return cut_curve(mesh->longitude, mesh->latitude, ranks);
    const MeshPlaces places = read_places(path);
    return cut_curve(places.longitude, places.latitude, ranks);
}

/// Returns the average bytes of a message of the middle rank.
[[nodiscard]] Bytes average_message(const WavePlan& plan) {
    const RankCells cells =
        cells_of_rank(plan.graph, plan.partition, plan.ranks() / 2, rings_of(plan.scheme));
    const auto partners = std::max<std::int64_t>(std::int64_t(cells.partners.size()), 1);
    return cells.halo() / partners * plan.words() * Bytes(sizeof(double));
}

[[nodiscard]] ExchangeUse use_of(const WavePlan& plan) {
    return {"fvwam", MeshCombination::copy, plan.ranks(), [&plan] { return average_message(plan); },
            plan.overlaps};
}

/// Reads all that runs without data have, too.
[[nodiscard]] std::shared_ptr<WavePlan> read_common(const Settings& settings, CellGraph graph,
                                                    Rank ranks, const VoronoiMesh* mesh = nullptr) {
    refuse_unknown("fvwam", settings, {given::always, given::with_data});
    const std::string path = path_of_file(given::mesh.of(settings));
    ItemPartition partition = make_partition(settings, path, graph.cells(), ranks, mesh);
    auto plan =
        std::make_shared<WavePlan>(read_spectrum(settings), std::move(graph), std::move(partition));
    plan->precision = given::precision.of(settings);
    plan->scheme = given::scheme.of(settings);
    plan->sources = given::sources.of(settings);
    plan->source_steps = given::source_steps.of(settings);
    plan->steps = given::steps.of(settings, 1);
    plan->overlaps = given::overlap.of(settings);
    plan->exchange = read_exchange(settings, use_of(*plan));
    return plan;
}

[[nodiscard]] WindVector uniform_wind(const Settings& settings) {
    const double speed = given::wind_speed.of(settings);
    const double direction = given::wind_direction.of(settings) * radians_per_degree;
    return {speed * std::sin(direction), speed * std::cos(direction)};
}

/// Refuses the speed of a uniform wind where there is none; 0 is its default.
void refuse_speed(const Settings& settings, std::string_view wind) {
    if (given::wind_speed.of(settings) == 0) return;
    throw ConfigError(text("fvwam: wind = \"", wind, "\" has no wind_speed_m_s"));
}

void read_wind(const Settings& settings, WavePlan& plan) {
    const WindVector uniform = uniform_wind(settings);
    switch (given::wind.of(settings)) {
        case WindKind::none:
            refuse_given("fvwam", settings, "wind = \"none\"", {&given::track, &given::wind_file});
            refuse_speed(settings, "none");
            break;
        case WindKind::uniform:
            refuse_given("fvwam", settings, "wind = \"uniform\"",
                         {&given::track, &given::wind_file});
            plan.make_wind = [uniform] { return std::make_unique<UniformWind>(uniform); };
            break;
        case WindKind::typhoon: {
            refuse_given("fvwam", settings, "wind = \"typhoon\"", {&given::wind_file});
            if (!settings.has(given::track.name()))
                throw ConfigError("fvwam: wind = \"typhoon\" needs track");
            plan.make_wind = [uniform,
                              track = read_track(text_or_file(given::track.of(settings)))] {
                return std::make_unique<TyphoonWind>(track, uniform);
            };
            break;
        }
        case WindKind::file:
            refuse_given("fvwam", settings, "wind = \"file\"", {&given::track});
            refuse_speed(settings, "file");
            if (!settings.has(given::wind_file.name()))
                throw ConfigError("fvwam: wind = \"file\" needs wind_file");
            plan.make_wind = [path = path_of_file(given::wind_file.of(settings))] {
                return open_wind_file(path);
            };
            break;
    }
}

/// Throws ConfigError if the wind does not cover the sea and the time of the run; sets its date.
void check_wind(WavePlan& plan) {
    if (!plan.make_wind) return;
    const auto wind = plan.make_wind();
    plan.origin = wind->origin();
    wind->set_time(double(plan.steps) * plan.time_step);
    for (std::int64_t cell = 0; cell < plan.mesh->cells(); ++cell)
        wind->check(center_of(*plan.mesh, cell));
}

void read_start(const Settings& settings, WavePlan& plan) {
    plan.start = given::start.of(settings);
    plan.largest_drag = given::largest_drag.of(settings);
    plan.swell = {{given::swell_longitude.of(settings) * radians_per_degree,
                   given::swell_latitude.of(settings) * radians_per_degree},
                  1000 * given::swell_radius.of(settings),
                  given::swell_direction.of(settings) * radians_per_degree,
                  given::swell_period.of(settings),
                  given::swell_height.of(settings)};
}

/// Throws ConfigError if a swell would leave the sea calm: no wave has its period, or no cell is
/// near its centre.
void check_swell(const WavePlan& plan) {
    if (plan.start != Start::swell || plan.swell.height == 0) return;
    const SpectralGrid& spectrum = plan.spectrum;
    const double longest = 1 / spectrum.frequency(0);
    const double shortest = 1 / spectrum.frequency(spectrum.frequencies() - 1);
    // A band of frequencies reaches half way to the next one.
    const double reach = std::sqrt(spectrum.ratio());
    if (plan.swell.period > longest * reach || plan.swell.period < shortest / reach)
        throw ConfigError(text("fvwam: swell_period_s = ", plan.swell.period,
                               " is not in the spectrum, whose periods are ", shortest, "..",
                               longest, " s"));
    double nearest = std::numeric_limits<double>::infinity();
    for (std::int64_t cell = 0; cell < plan.mesh->cells(); ++cell)
        nearest =
            std::min(nearest, distance_between(center_of(*plan.mesh, cell), plan.swell.center));
    if (nearest > 2 * plan.swell.radius)
        throw ConfigError(text("fvwam: no sea cell of ", plan.mesh->file,
                               " is within two radii, swell_radius_km = ", plan.swell.radius / 1000,
                               ", of the centre of the swell; the nearest one is ", nearest / 1000,
                               " km away"));
}

/// Throws ConfigError if the frequencies end before the wind sea that the wind raises: the tail
/// beyond them, which is assumed, would feed waves that no wind has made.
void check_frequencies(const Settings& settings, const WavePlan& plan) {
    const double last = plan.spectrum.frequency(plan.spectrum.frequencies() - 1);
    if (last > highest_frequency)
        throw ConfigError(text("fvwam: the frequencies end at ", last,
                               " Hz; source terms take at most ", highest_frequency, " Hz"));
    const double speed = given::wind_speed.of(settings);
    if (given::wind.of(settings) != WindKind::uniform || speed == 0) return;
    // The peak of a fully grown sea, pierson1964.
    const double peak = 0.13 * gravity / speed;
    const double needed = peak_to_last * peak;
    if (last >= needed) return;
    const double more = std::ceil(std::log(needed / plan.spectrum.frequency(0)) /
                                  std::log(plan.spectrum.ratio()) * (1 - 1e-9));
    throw ConfigError(text("fvwam: the frequencies end at ", last, " Hz; a wind of ", speed,
                           " m/s raises waves of ", peak, " Hz and needs ", needed,
                           " Hz: frequencies = ", std::int64_t(more) + 1));
}

void read_tide(const Settings& settings, WavePlan& plan) {
    const auto amplitude = given::tide_amplitude.find(settings);
    if (!amplitude) {
        for (const Declaration* const other : {&given::tide_period, &given::tide_phase})
            if (settings.has(other->name()))
                throw ConfigError(text("fvwam: ", other->key, " needs tide_amplitude_m"));
        return;
    }
    plan.tide = {*amplitude, seconds_per_hour * given::tide_period.of(settings, usual_tide_hours),
                 radians_per_degree * given::tide_phase.of(settings, 0.0)};
    if (plan.spectrum.frequencies() < 2)
        throw ConfigError("fvwam: tide_amplitude_m needs at least 2 frequencies, which it shifts");
    const auto shallowest = std::ranges::min_element(plan.mesh->depth);
    if (*shallowest - *amplitude >= DepthTable<double>::smallest_depth) return;
    const auto cell = std::size_t(shallowest - plan.mesh->depth.begin());
    throw ConfigError(text("fvwam: tide_amplitude_m = ", *amplitude, " leaves less than ",
                           DepthTable<double>::smallest_depth, " m of water in cell ",
                           plan.mesh->cell_in_file[cell] + 1, " of ", plan.mesh->file,
                           ", whose depth is ", *shallowest, " m"));
}

/// Returns the number of steps in `hours`, which must be whole.
[[nodiscard]] std::int64_t steps_in(double hours, const WavePlan& plan,
                                    const Declaration& setting) {
    return whole_steps(hours * seconds_per_hour, plan.time_step, setting, hours);
}

/// Returns the longest of some round steps that is not above `most` seconds.
[[nodiscard]] double round_step(double most) {
    for (const double step :
         {3600.0, 1800.0, 1200.0, 900.0, 720.0, 600.0, 450.0, 360.0, 300.0, 240.0,
          200.0,  180.0,  150.0,  120.0, 100.0, 90.0,  75.0,  60.0,  50.0,  45.0,
          40.0,   30.0,   25.0,   20.0,  15.0,  12.0,  10.0,  8.0,   6.0,   5.0,
          4.0,    3.0,    2.0,    1.0,   0.5,   0.2,   0.1,   0.05,  0.02,  0.01})
        if (step <= most) return step;
    return most;
}

/// Returns the largest stable step of the mesh.
[[nodiscard]] double stable_step(const WavePlan& plan) {
    const double tide = plan.tide ? plan.tide->amplitude : 0.0;
    double fastest = 0.0;
    for (std::int64_t cell = 0; cell < plan.mesh->cells(); ++cell)
        fastest = std::max(fastest, outflow_rate(plan.spectrum, *plan.mesh, cell, tide));
    // The kernels take group velocities of depths within half a percent.
    return 0.995 * largest_courant_number(plan.scheme) / fastest;
}

void read_time(const Settings& settings, WavePlan& plan) {
    plan.largest_stable_step = stable_step(plan);
    const auto step = given::time_step.find(settings);
    plan.time_step = step ? double(*step) / double(picoseconds_per_second)
                          : round_step(plan.largest_stable_step);
    if (plan.time_step > plan.largest_stable_step) {
        throw ConfigError(text("fvwam: time_step = ", plan.time_step, " s is not stable on ",
                               plan.mesh->file, ": waves of ", plan.spectrum.frequency(0),
                               " Hz allow at most ", plan.largest_stable_step, " s"));
    }
    const auto hours = given::hours.find(settings);
    if (hours && settings.has(given::steps.name()))
        throw ConfigError("hours: give either hours or steps, not both");
    if (!settings.has(given::steps.name()))
        plan.steps = steps_in(hours ? *hours : usual_hours, plan, given::hours);
    if (const auto every = given::output_every_hours.find(settings))
        plan.output_every = steps_in(*every, plan, given::output_every_hours);
    if (plan.has_sources() && plan.source_steps > plan.steps)
        throw ConfigError(text("fvwam: source_steps = ", plan.source_steps, " are more than the ",
                               plan.steps, " steps of the run, which would have no source terms"));
}

}  // namespace

std::shared_ptr<const WavePlan> make_plan(const Settings& settings, Rank ranks) {
    return read_common(settings, read_graph(path_of_file(given::mesh.of(settings))), ranks);
}

std::shared_ptr<const WavePlan> make_run_plan(const Settings& settings, Rank ranks) {
    auto mesh = std::make_shared<VoronoiMesh>(
        read_mesh(path_of_file(given::mesh.of(settings)), given::depth.of(settings)));
    if (!given::all_seas.of(settings)) check_connected(*mesh);
    auto plan = read_common(settings, mesh->graph, ranks, mesh.get());
    plan->mesh = std::move(mesh);
    if (plan->has_sources()) {
        check_source_spectrum(plan->spectrum);
        check_frequencies(settings, *plan);
    }
    read_tide(settings, *plan);
    read_time(settings, *plan);
    read_wind(settings, *plan);
    check_wind(*plan);
    read_start(settings, *plan);
    check_swell(*plan);
    if (settings.has(given::points.name()))
        plan->points = read_points(text_or_file(given::points.of(settings)), *plan->mesh);
    return plan;
}

std::vector<OperationUse> operations(const Settings& settings, Rank ranks) {
    const auto plan = make_plan(settings, ranks);
    return operations_of(use_of(*plan), plan->exchanges());
}

}  // namespace tradewind::fvwam

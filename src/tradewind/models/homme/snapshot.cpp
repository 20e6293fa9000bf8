/// Interpolates in the vertical on every rank and in the horizontal on rank 0. Zonal means, which
/// have all levels, are summed on every rank.
#include "tradewind/models/homme/snapshot.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "tradewind/base/interrupts.hpp"
#include "tradewind/comm/allreduce/algorithms.hpp"
#include "tradewind/models/homme/constants.hpp"

namespace tradewind::homme {

namespace {

constexpr double shown_pressure = 85000.0;
constexpr double pascals_per_hectopascal = 100.0;
constexpr double degrees = 180 / std::numbers::pi;

/// The numbers of some elements that rank 0 needs: the shown fields of their points, and sums.
class Records {
public:
    /// The sums over the points of an element.
    enum Sum : std::uint8_t { area, mass, kinetic, total, fastest };

    Records(std::int64_t elements, std::int64_t points, std::size_t fields)
        : points_(points), fields_(std::int64_t(fields)), values_(std::size_t(elements * size())) {}

    [[nodiscard]] double& field(std::int64_t element, std::size_t name, std::int64_t point) {
        return values_[std::size_t(element * size() + std::int64_t(name) * points_ + point)];
    }
    [[nodiscard]] double& sum(std::int64_t element, Sum name) {
        return values_[std::size_t(element * size() + fields_ * points_ + name)];
    }
    /// Returns the numbers of some consecutive elements.
    [[nodiscard]] std::span<double> part(std::int64_t first, std::int64_t count) {
        return std::span(values_).subspan(std::size_t(first * size()), std::size_t(count * size()));
    }

    /// Takes the numbers of all elements of a rank.
    void take(Records& from, const ItemPartition& partition, Rank rank) {
        for (std::int64_t n = 0; n < partition.size(rank); ++n)
            std::ranges::copy(from.part(n, 1), part(partition.item(rank, n), 1).begin());
    }

private:
    static constexpr std::int64_t sums = 5;
    [[nodiscard]] std::int64_t size() const { return fields_ * points_ + sums; }

    std::int64_t points_;
    std::int64_t fields_;
    std::vector<double> values_;
};

/// The place of a pressure between two levels.
struct VerticalPlace {
    std::int64_t upper;
    double weight_below;
};

[[nodiscard]] VerticalPlace find_level(const Core& core, const LevelsOfPoint& layers,
                                       double pressure) {
    double top = core.column().top_pressure;
    double above = 0.0;
    const std::int64_t count = core.column().levels;
    for (std::int64_t k = 0; k < count; ++k) {
        const double middle = top + 0.5 * layers[k];
        top += layers[k];
        if (middle >= pressure && k > 0)
            return {k - 1, std::log(pressure / above) / std::log(middle / above)};
        above = middle;
    }
    return {std::max<std::int64_t>(count - 2, 0), count > 1 ? 1.0 : 0.0};
}

void add_energy(const Core& core, std::int64_t e, std::int64_t p, Records& records) {
    const double mass = core.mass(e)[p];
    const LevelsOfPoint u = core.fields().column(east, e, p);
    const LevelsOfPoint v = core.fields().column(north, e, p);
    const LevelsOfPoint t = core.fields().column(temperature, e, p);
    const LevelsOfPoint dp = core.fields().column(thickness, e, p);
    double pressure = core.column().top_pressure;
    double kinetic = 0.0;
    double enthalpy = 0.0;
    double fastest = records.sum(e, Records::fastest);
    for (std::int64_t k = 0; k < core.column().levels; ++k) {
        const double speed2 = u[k] * u[k] + v[k] * v[k];
        kinetic += dp[k] * 0.5 * speed2;
        enthalpy += dp[k] * heat_capacity * t[k];
        fastest = std::max(fastest, std::sqrt(speed2));
        pressure += dp[k];
    }
    const double potential = pressure * core.surface_geopotential(e)[p];
    records.sum(e, Records::fastest) = fastest;
    records.sum(e, Records::kinetic) += mass / gravity * kinetic;
    records.sum(e, Records::total) += mass / gravity * (kinetic + enthalpy + potential);
    records.sum(e, Records::area) += mass;
    records.sum(e, Records::mass) += mass * pressure;
    records.field(e, surface_pressure, p) = pressure;
}

/// Records the own element e of shallow water with its vorticity.
void record_layer(const Core& core, std::int64_t e, const Lanes* zeta, Records& records) {
    const std::int64_t points = core.fields().shape().points;
    const auto first = [&](std::size_t field, std::int64_t p) {
        return core.fields().column(field, e, p)[0];
    };
    for (std::int64_t p = 0; p < points; ++p) {
        records.field(e, layer_depth, p) = first(depth, p);
        records.field(e, layer_east, p) = first(east, p);
        records.field(e, layer_north, p) = first(north, p);
        records.field(e, layer_vorticity, p) = LevelsOfPoint(zeta, points, p)[0];
    }
}

/// Records the own element e of the primitive equations with its vorticity.
void record_column(const Core& core, std::int64_t e, const Lanes* zeta, Records& records) {
    const std::int64_t points = core.fields().shape().points;
    for (std::int64_t p = 0; p < points; ++p) {
        add_energy(core, e, p, records);
        const auto [upper, below] =
            find_level(core, core.fields().column(thickness, e, p), shown_pressure);
        const std::int64_t lower = std::min(upper + 1, core.column().levels - 1);
        const auto at = [&, k = upper, w = below](const LevelsOfPoint& levels) {
            return (1 - w) * levels[k] + w * levels[lower];
        };
        records.field(e, temperature_850, p) = at(core.fields().column(temperature, e, p));
        records.field(e, east_850, p) = at(core.fields().column(east, e, p));
        records.field(e, north_850, p) = at(core.fields().column(north, e, p));
        records.field(e, vorticity_850, p) = at(LevelsOfPoint(zeta, points, p));
    }
}

/// Finds the extremes of the first shown field: the surface pressure, or the depth.
void find_extremes(const HommePlan& plan, Records& all, CoreDiagnostics& found) {
    const int np = plan.rule.count();
    found.lowest = std::numeric_limits<double>::infinity();
    found.highest = -found.lowest;
    for (std::int64_t e = 0; e < plan.mesh.elements(); ++e) {
        for (int p = 0; p < np * np; ++p) {
            const double value = all.field(e, 0, p);
            found.highest = std::max(found.highest, value);
            if (value >= found.lowest) continue;
            found.lowest = value;
            const williamson::LonLat at = lon_lat(plan.geometry.point(e, p % np, p / np));
            found.lowest_longitude = at.lambda * degrees;
            found.lowest_latitude = at.theta * degrees;
        }
    }
}

/// Adds up the sums of the elements of the primitive equations.
void sum_columns(const HommePlan& plan, Records& all, CoreDiagnostics& found) {
    double area = 0.0;
    for (std::int64_t e = 0; e < plan.mesh.elements(); ++e) {
        area += all.sum(e, Records::area);
        found.mean += all.sum(e, Records::mass);
        found.kinetic_energy += all.sum(e, Records::kinetic);
        found.total_energy += all.sum(e, Records::total);
        found.fastest_wind = std::max(found.fastest_wind, all.sum(e, Records::fastest));
    }
    found.mean /= area;
    found.kinetic_energy /= area;
    found.total_energy /= area;
}

/// Adds up over all points of shallow water, by the definitions of williamson1992.
void sum_layers(const HommePlan& plan, double time, Records& all, CoreDiagnostics& found) {
    const williamson::TestCase& test = *plan.shallow_water;
    const int np = plan.rule.count();
    williamson::FlowErrorSums errors;
    double area = 0.0;
    for (std::int64_t e = 0; e < plan.mesh.elements(); ++e) {
        for (int p = 0; p < np * np; ++p) {
            const PointGeometry point = plan.geometry.point(e, p % np, p / np);
            const williamson::LonLat at = lon_lat(point);
            const double weight = point.area * plan.rule.weights[std::size_t(p % np)] *
                                  plan.rule.weights[std::size_t(p / np)];
            const double h = all.field(e, layer_depth, p);
            const williamson::HorizontalWind wind{all.field(e, layer_east, p),
                                                  all.field(e, layer_north, p)};
            const double ground = test.ground(at) / gravity;
            const double surface = h + ground;
            const double speed = std::hypot(wind.east, wind.north);
            const double absolute = all.field(e, layer_vorticity, p) + test.coriolis(at);
            area += weight;
            found.mean += weight * h;
            found.kinetic_energy += weight * 0.5 * h * speed * speed;
            found.total_energy += weight * 0.5 * gravity * (surface * surface - ground * ground);
            found.potential_enstrophy += weight * absolute * absolute / (2 * h);
            found.fastest_wind = std::max(found.fastest_wind, speed);
            errors.add(test, at, time, weight, {wind, h * gravity});
        }
    }
    found.total_energy += found.kinetic_energy;
    for (double* const sum :
         {&found.mean, &found.kinetic_energy, &found.total_energy, &found.potential_enstrophy})
        *sum /= area;
    if (test.has_solution()) found.errors = errors.relative();
}

/// Returns the weights of the points of an element at a place in it.
[[nodiscard]] std::vector<double> weights_at(const GaussLobatto& rule,
                                             const CubeGeometry::Location& place) {
    const auto x = rule.polynomials_at(place.x);
    const auto y = rule.polynomials_at(place.y);
    std::vector<double> weights;
    weights.reserve(x.size() * y.size());
    for (const double by_y : y)
        for (const double by_x : x) weights.push_back(by_x * by_y);
    return weights;
}

/// Returns a value of a shown field in its unit: a pressure in hPa.
[[nodiscard]] double in_unit(const HommePlan& plan, std::size_t field, double value) {
    const bool is_pressure = field == surface_pressure && !plan.shallow_water;
    return is_pressure ? value / pascals_per_hectopascal : value;
}

/// Interpolates the polynomials of the elements to the points of the grid.
void interpolate(const HommePlan& plan, Records& all, CoreSnapshot& snapshot) {
    std::vector<std::vector<double>> fields(shown_fields(plan));
    const std::int64_t points = plan.latitudes * plan.longitudes;
    for (std::int64_t point = 0; point < points; ++point) {
        check_interrupts(256);
        const auto& place = plan.grid->location(point);
        const auto weights = weights_at(plan.rule, place);
        for (std::size_t f = 0; f < fields.size(); ++f) {
            double sum = 0.0;
            for (std::size_t p = 0; p < weights.size(); ++p)
                sum += weights[p] * all.field(place.element, f, std::int64_t(p));
            fields[f].push_back(in_unit(plan, f, sum));
        }
    }
    snapshot.fields.insert(snapshot.fields.begin(), fields.begin(), fields.end());
}

/// Adds the shown fields at the points of the elements.
void add_points(const HommePlan& plan, Records& all, CoreSnapshot& snapshot) {
    const std::int64_t points = plan.rule.count() * plan.rule.count();
    for (std::size_t f = 0; f < shown_fields(plan); ++f) {
        auto& field = snapshot.fields.emplace_back();
        for (std::int64_t e = 0; e < plan.mesh.elements(); ++e)
            for (std::int64_t p = 0; p < points; ++p)
                field.push_back(in_unit(plan, f, all.field(e, f, p)));
    }
}

/// Sums wind and temperature along the circles of latitude. The summands are rounded to multiples
/// of 2^-30: their sums are exact, and thus the same in any order.
Task find_zonal_means(Comm& comm, const Core& core, CoreSnapshot& snapshot) {
    constexpr double units = 1 << 30;
    constexpr std::size_t averaged[] = {east, temperature};
    const HommePlan& plan = core.plan();
    const std::int64_t levels = core.column().levels;
    const std::int64_t rows = plan.latitudes;
    std::vector<double> sums(std::size(averaged) * std::size_t(levels * rows));
    for (std::int64_t e = 0; e < core.count(); ++e) {
        for (const std::int64_t point : plan.grid->points_in(core.element_number(e))) {
            check_interrupts(levels * 32);
            const auto weights = weights_at(plan.rule, plan.grid->location(point));
            double* sum = &sums[std::size_t(plan.grid->row(point))];
            for (const std::size_t field : averaged) {
                for (std::int64_t k = 0; k < levels; ++k, sum += rows) {
                    double value = 0.0;
                    for (std::size_t p = 0; p < weights.size(); ++p)
                        value += weights[p] * core.fields().column(field, e, std::int64_t(p))[k];
                    *sum += std::nearbyint(value * units);
                }
            }
        }
    }
    co_await allreduce_recursive_doubling(comm, {Buffer(std::span(sums)), sum<double>()}, {});
    for (double& value : sums) value /= units * double(plan.longitudes);
    const auto size = std::ptrdiff_t(levels * rows);
    for (auto first = sums.begin(); first != sums.end(); first += size)
        snapshot.fields.emplace_back(first, first + size);
}

}  // namespace

Task take_snapshot(Comm& comm, const Core& core, double time, CoreSnapshot& snapshot) {
    comm.begin_phase("gather");
    const HommePlan& plan = core.plan();
    const std::int64_t points = core.fields().shape().points;
    const bool is_first = comm.rank() == 0;
    Records own(core.count(), points, shown_fields(plan));
    LaneVector zeta(points * core.column().blocks);
    for (std::int64_t e = 0; e < core.count(); ++e) {
        check_interrupts(points * core.column().blocks * 8);
        core.find_vorticity(e, zeta.data());
        (plan.shallow_water ? record_layer : record_column)(core, e, zeta.data(), own);
    }
    snapshot.fields.clear();
    if (!plan.shallow_water) co_await find_zonal_means(comm, core, snapshot);
    if (!is_first) {
        co_await comm.send(0, ConstBuffer(Buffer(own.part(0, core.count()))));
        co_return;
    }
    Records records(plan.mesh.elements(), points, shown_fields(plan));
    records.take(own, plan.partition, 0);
    for (Rank rank = 1; rank < comm.size(); ++rank) {
        Records theirs(plan.partition.size(rank), points, shown_fields(plan));
        co_await comm.recv(rank, Buffer(theirs.part(0, plan.partition.size(rank))));
        records.take(theirs, plan.partition, rank);
    }
    snapshot.diagnostics = {};
    if (plan.shallow_water) {
        sum_layers(plan, time, records, snapshot.diagnostics);
    } else {
        sum_columns(plan, records, snapshot.diagnostics);
    }
    find_extremes(plan, records, snapshot.diagnostics);
    interpolate(plan, records, snapshot);
    if (plan.shows_points) add_points(plan, records, snapshot);
}

}  // namespace tradewind::homme

/// Interpolates in the vertical on every rank and in the horizontal on rank 0.
#include "tradewind/models/homme/snapshot.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tradewind/models/homme/constants.hpp"
#include "tradewind/models/homme/operators.hpp"

namespace tradewind::homme {

namespace {

constexpr double shown_pressure = 85000.0;
constexpr double degrees = 180 / std::numbers::pi;

/// What rank 0 needs of an element: the shown fields of its points, then its sums.
struct ElementRecord {
    double fields[shown_count][se_points];
    double area;
    double mass;
    double kinetic;
    double total;
    double fastest;
};

/// The place of a pressure between two levels.
struct VerticalPlace {
    std::int64_t upper;
    double weight_below;
};

[[nodiscard]] VerticalPlace find_level(const SeCore& core, const double* layers, double pressure) {
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

/// Computes the vorticity of all levels of an element, [point][level].
void find_vorticity(const SeCore& core, std::int64_t e, LaneVector& result) {
    const std::int64_t blocks = core.column().blocks;
    for (std::int64_t b = 0; b < blocks; ++b) {
        Values<se_np> u;
        Values<se_np> v;
        Values<se_np> zeta;
        for (int p = 0; p < se_points; ++p) {
            u[p] = core.fields().at(east, e)[p * blocks + b];
            v[p] = core.fields().at(north, e)[p * blocks + b];
        }
        vorticity<se_np>(core.derivatives(), core.elements()[std::size_t(e)].metric, u, v, zeta);
        for (int p = 0; p < se_points; ++p) result.data()[p * blocks + b] = zeta[p];
    }
}

void add_energy(const SeCore& core, std::int64_t e, int p, ElementRecord& record) {
    const SeElement& element = core.elements()[std::size_t(e)];
    const double mass = element.metric.mass[p];
    const double* const u = core.fields().levels(east, e, p);
    const double* const v = core.fields().levels(north, e, p);
    const double* const t = core.fields().levels(temperature, e, p);
    const double* const dp = core.fields().levels(thickness, e, p);
    double pressure = core.column().top_pressure;
    for (std::int64_t k = 0; k < core.column().levels; ++k) {
        const double speed2 = u[k] * u[k] + v[k] * v[k];
        record.kinetic += mass * dp[k] / gravity * 0.5 * speed2;
        record.total += mass * dp[k] / gravity * (0.5 * speed2 + heat_capacity * t[k]);
        record.fastest = std::max(record.fastest, std::sqrt(speed2));
        pressure += dp[k];
    }
    record.total += mass * pressure / gravity * element.surface_geopotential[p];
    record.area += mass;
    record.mass += mass * pressure;
    record.fields[surface_pressure][p] = pressure;
}

[[nodiscard]] ElementRecord record_of(const SeCore& core, std::int64_t e, LaneVector& zeta) {
    ElementRecord record{};
    find_vorticity(core, e, zeta);
    const std::int64_t padded = core.column().blocks * spectral::lane_width;
    for (int p = 0; p < se_points; ++p) {
        add_energy(core, e, p, record);
        const auto [upper, below] =
            find_level(core, core.fields().levels(thickness, e, p), shown_pressure);
        const std::int64_t lower = std::min(upper + 1, core.column().levels - 1);
        const auto at = [&, k = upper, w = below](const double* levels) {
            return (1 - w) * levels[k] + w * levels[lower];
        };
        record.fields[temperature_850][p] = at(core.fields().levels(temperature, e, p));
        record.fields[east_850][p] = at(core.fields().levels(east, e, p));
        record.fields[north_850][p] = at(core.fields().levels(north, e, p));
        record.fields[vorticity_850][p] = at(spectral::numbers(zeta.data()) + p * padded);
    }
    return record;
}

[[nodiscard]] Diagnostics sum_up(const HommePlan& plan, const std::vector<ElementRecord>& all) {
    Diagnostics found;
    double area = 0.0;
    found.lowest_pressure = 1e30;
    for (std::size_t e = 0; e < all.size(); ++e) {
        const ElementRecord& record = all[e];
        area += record.area;
        found.mean_pressure += record.mass;
        found.kinetic_energy += record.kinetic;
        found.total_energy += record.total;
        found.fastest_wind = std::max(found.fastest_wind, record.fastest);
        for (int p = 0; p < se_points; ++p) {
            const double pressure = record.fields[surface_pressure][p];
            found.highest_pressure = std::max(found.highest_pressure, pressure);
            if (pressure >= found.lowest_pressure) continue;
            found.lowest_pressure = pressure;
            const PointGeometry point =
                plan.geometry.point(std::int64_t(e), p % se_np, p / se_np);
            found.lowest_longitude = point.longitude * degrees;
            found.lowest_latitude = point.latitude * degrees;
        }
    }
    found.mean_pressure /= area;
    found.kinetic_energy /= area;
    found.total_energy /= area;
    if (found.lowest_longitude < 0) found.lowest_longitude += 360.0;
    return found;
}

/// Interpolates the polynomials of the elements to the points of the grid.
void interpolate(const HommePlan& plan, const std::vector<ElementRecord>& all,
                 Snapshot& snapshot) {
    for (auto& field : snapshot.fields) {
        field.clear();
        field.reserve(std::size_t(plan.latitudes * plan.longitudes));
    }
    for (std::int64_t j = 0; j < plan.latitudes; ++j) {
        const double latitude = plan.latitude_deg(j) / degrees;
        for (std::int64_t i = 0; i < plan.longitudes; ++i) {
            const double longitude = plan.longitude_deg(i) / degrees;
            const auto found = plan.geometry.locate({std::cos(latitude) * std::cos(longitude),
                                                     std::cos(latitude) * std::sin(longitude),
                                                     std::sin(latitude)});
            const auto x = plan.rule.polynomials_at(found.x);
            const auto y = plan.rule.polynomials_at(found.y);
            const ElementRecord& record = all[std::size_t(found.element)];
            for (std::size_t f = 0; f < shown_count; ++f) {
                double sum = 0.0;
                for (std::size_t p = 0; p < se_points; ++p)
                    sum += x[p % se_np] * y[p / se_np] * record.fields[f][p];
                snapshot.fields[f].push_back(sum);
            }
        }
    }
}

}  // namespace

Task take_snapshot(Comm& comm, const SeCore& core, Snapshot& snapshot) {
    comm.begin_phase("gather");
    const HommePlan& plan = core.plan();
    const auto own = core.elements().size();
    std::vector<ElementRecord> records;
    LaneVector zeta(se_points * core.column().blocks);
    for (std::size_t e = 0; e < own; ++e)
        records.push_back(record_of(core, std::int64_t(e), zeta));
    if (comm.rank() != 0) {
        co_await comm.send(0, ConstBuffer(Buffer(std::span(records))));
        co_return;
    }
    records.resize(std::size_t(plan.mesh.elements()));
    for (Rank rank = 1; rank < comm.size(); ++rank) {
        const auto part = std::span(records).subspan(std::size_t(plan.partition.start(rank)),
                                                     std::size_t(plan.partition.size(rank)));
        co_await comm.recv(rank, Buffer(part));
    }
    snapshot.diagnostics = sum_up(plan, records);
    interpolate(plan, records, snapshot);
}

}  // namespace tradewind::homme

/// Sums over the Gaussian grid in one fixed order, by STSWM's definitions (erranl, nrgtcs).
#include "tradewind/models/pstswm/snapshot.hpp"

#include <algorithm>
#include <cmath>

#include "tradewind/base/interrupts.hpp"

namespace tradewind::pstswm {

namespace {

/// The fields at one point of the grid.
struct Point {
    LonLat at;
    double weight;
    double h;
    HorizontalWind wind;
    double vorticity;
    double divergence;
};

void for_each_point(const ShallowWaterPlan& plan, const Snapshot& snapshot, std::int64_t level,
                    const auto& visit) {
    for (std::int64_t j = 0; j < plan.latitudes; ++j) {
        const double weight = 0.5 * plan.nodes.weight[std::size_t(j)] / double(plan.longitudes);
        for (std::int64_t i = 0; i < plan.longitudes; ++i) {
            check_interrupts(64 * plan.levels);
            const auto p = std::size_t((level * plan.latitudes + j) * plan.longitudes + i);
            visit(Point{{plan.longitude(i), plan.latitude(j)},
                        weight,
                        snapshot.depth[p],
                        {snapshot.east_wind[p], snapshot.north_wind[p]},
                        snapshot.vorticity[p],
                        snapshot.divergence[p]});
        }
    }
}

void add_norms(const ShallowWaterPlan& plan, const Snapshot& snapshot, std::int64_t level,
               Diagnostics& result) {
    williamson::FlowErrorSums sums;
    for_each_point(plan, snapshot, level, [&](const Point& point) {
        sums.add(*plan.test_case, point.at, snapshot.time, point.weight,
                 {point.wind, point.h * gravity});
    });
    result.errors = sums.relative();
}

}  // namespace

Diagnostics diagnose(const ShallowWaterPlan& plan, const Snapshot& snapshot, std::int64_t level) {
    Diagnostics sums;
    sums.lowest_depth = HUGE_VAL;
    sums.highest_depth = -HUGE_VAL;
    double surface_square = 0.0;
    for_each_point(plan, snapshot, level, [&](const Point& point) {
        const double w = point.weight;
        const double ground = plan.test_case->ground(point.at) / gravity;
        const double surface = point.h + ground;
        const double speed = std::hypot(point.wind.east, point.wind.north);
        const double eta = point.vorticity + plan.test_case->coriolis(point.at);
        sums.mass += w * point.h;
        sums.energy +=
            w * 0.5 * (point.h * speed * speed + gravity * (surface * surface - ground * ground));
        sums.potential_enstrophy += w * eta * eta / (2 * point.h);
        sums.vorticity += w * point.vorticity;
        sums.divergence += w * point.divergence;
        sums.surface_mean += w * surface;
        surface_square += w * surface * surface;
        sums.lowest_depth = std::min(sums.lowest_depth, point.h);
        sums.highest_depth = std::max(sums.highest_depth, point.h);
        sums.fastest_wind = std::max(sums.fastest_wind, speed);
    });
    sums.surface_variance = surface_square - sums.surface_mean * sums.surface_mean;
    if (plan.test_case->has_solution()) add_norms(plan, snapshot, level, sums);
    return sums;
}

}  // namespace tradewind::pstswm

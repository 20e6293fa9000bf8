/// Sums over the Gaussian grid in one fixed order, by STSWM's definitions (erranl, nrgtcs).
#include "tradewind/models/pstswm/snapshot.hpp"

#include <algorithm>
#include <cmath>

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

/// Sums of |difference| and |reference| for one quantity.
struct NormSums {
    ErrorNorms difference;
    ErrorNorms reference;

    static void add(ErrorNorms& sums, double weight, double length) {
        sums.l1 += weight * length;
        sums.l2 += weight * length * length;
        sums.maximum = std::max(sums.maximum, length);
    }
    [[nodiscard]] ErrorNorms relative() const {
        return {difference.l1 / reference.l1, std::sqrt(difference.l2 / reference.l2),
                difference.maximum / reference.maximum};
    }
};

void add_norms(const ShallowWaterPlan& plan, const Snapshot& snapshot, std::int64_t level,
               Diagnostics& result) {
    NormSums depth;
    NormSums wind;
    for_each_point(plan, snapshot, level, [&](const Point& point) {
        const FlowState truth = plan.test_case->solution(point.at, snapshot.time);
        const FlowState base = plan.test_case->background(point.at);
        const double w = point.weight;
        NormSums::add(depth.difference, w, std::abs(point.h - truth.geopotential / gravity));
        NormSums::add(depth.reference, w,
                      std::abs(truth.geopotential - base.geopotential) / gravity);
        NormSums::add(
            wind.difference, w,
            std::hypot(point.wind.east - truth.wind.east, point.wind.north - truth.wind.north));
        NormSums::add(
            wind.reference, w,
            std::hypot(truth.wind.east - base.wind.east, truth.wind.north - base.wind.north));
    });
    result.has_norms = true;
    result.depth = depth.relative();
    result.wind = wind.relative();
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

/// The formulas of the wind, and the midpoint rule.
#include "tradewind/skeleton/semi_lagrangian/wind.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tradewind::skeleton {

namespace {

constexpr double pi = std::numbers::pi;
constexpr int midpoint_iterations = 4;
/// The eta of the fastest level.
constexpr double fastest = 0.252;

}  // namespace

Vector2 wind_at(const PlaneWind& wind, const Plane& plane, Vector2 at, double eta) noexcept {
    const double nx = double(plane.grid[0]);
    const double ny = double(plane.grid[1]);
    const double height = std::cos((eta - fastest) * pi / 2);
    const double profile = height * std::sqrt(height);
    const double y = 2 * pi * at.y / ny;
    const double phase = 2 * pi * double(wind.waves) * at.x / nx + (1.0 - eta) * pi / 2;
    const double jets = std::sin(y) * std::sin(y);
    const double along = nx / (double(wind.waves) * ny) * std::sin(2 * y) * std::cos(phase);
    return {profile * (wind.jet * jets - wind.wave * along),
            -profile * wind.wave * jets * std::sin(phase)};
}

Vector2 displacement(const PlaneWind& wind, const Plane& plane, Vector2 arrival,
                     double eta) noexcept {
    const double points_per_speed = plane.time_step_s / plane.spacing_m;
    Vector2 way;
    for (int n = 0; n <= midpoint_iterations; ++n) {
        const Vector2 middle{arrival.x - 0.5 * way.x, arrival.y - 0.5 * way.y};
        const Vector2 speed = wind_at(wind, plane, middle, eta);
        way = {points_per_speed * speed.x, points_per_speed * speed.y};
    }
    return way;
}

std::int64_t smooth_distance(const PlaneWind& wind, const Plane& plane) noexcept {
    const std::int64_t length = std::min(plane.grid[0] / wind.waves, plane.grid[1] / 2);
    return std::max<std::int64_t>(length / 64, 1);
}

}  // namespace tradewind::skeleton

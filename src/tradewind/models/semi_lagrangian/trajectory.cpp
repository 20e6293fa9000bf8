/// The iteration of the midpoint rule.
#include "tradewind/models/semi_lagrangian/trajectory.hpp"

#include <algorithm>

namespace tradewind::semi_lagrangian {

namespace {

/// Returns the horizontal part of the wind as a vector in space.
[[nodiscard]] Vector3 in_space(const SpherePoint& at, const Wind& wind) {
    const double sin_lon = std::sin(at.longitude);
    const double cos_lon = std::cos(at.longitude);
    const double sin_lat = std::sin(at.latitude);
    return {-sin_lon * wind.east - sin_lat * cos_lon * wind.north,
            cos_lon * wind.east - sin_lat * sin_lon * wind.north,
            std::cos(at.latitude) * wind.north};
}

[[nodiscard]] double inside(double height) {
    return std::clamp(height, 0.0, top);
}

}  // namespace

DeparturePoint find_departure(const Flow& flow, const SpherePoint& arrival,
                              const TrajectoryTime& time) {
    const Vector3 start = direction_to(arrival.longitude, arrival.latitude);
    Vector3 middle = start;
    SpherePoint at = arrival;
    DeparturePoint result{arrival, 0.0};
    for (std::int64_t n = 0; n < time.iterations; ++n) {
        const Wind wind = flow.wind(at, time.arrival - 0.5 * time.step);
        const double speed = std::hypot(wind.east, wind.north);
        const double half = 0.5 * time.step * speed / radius;
        Vector3 end = start;
        if (speed > 0.0) {
            Vector3 axis = cross(middle, in_space(at, wind));
            for (double& component : axis) component /= speed;
            middle = rotated(start, axis, -half);
            end = rotated(start, axis, -2 * half);
        }
        at = place_at(middle, inside(arrival.height - 0.5 * time.step * wind.up));
        result = {place_at(end, inside(arrival.height - time.step * wind.up)), 2 * half};
    }
    return result;
}

}  // namespace tradewind::semi_lagrangian

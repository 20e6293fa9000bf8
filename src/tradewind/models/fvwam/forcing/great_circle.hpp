/// Distances along great circles.
#pragma once

#include <algorithm>
#include <cmath>

#include "tradewind/models/fvwam/forcing/wind.hpp"
#include "tradewind/models/fvwam/spectrum.hpp"

namespace tradewind::fvwam {

/// Returns the distance of two places along a great circle, in m.
[[nodiscard]] inline double distance_between(const GeographicPoint& a, const GeographicPoint& b) {
    const double north = std::sin(0.5 * (b.latitude - a.latitude));
    const double east = std::sin(0.5 * (b.longitude - a.longitude));
    const double square = north * north + std::cos(a.latitude) * std::cos(b.latitude) * east * east;
    return 2 * earth_radius * std::asin(std::sqrt(std::min(square, 1.0)));
}

}  // namespace tradewind::fvwam

/// Distances along great circles, and the places of cells.
#pragma once

#include <algorithm>
#include <cmath>

#include "tradewind/models/fvwam/forcing/wind.hpp"
#include "tradewind/models/fvwam/mesh/voronoi_mesh.hpp"
#include "tradewind/models/fvwam/spectrum.hpp"

namespace tradewind::fvwam {

/// Returns the distance of two places along a great circle, in m.
[[nodiscard]] inline double distance_between(const GeographicPoint& a, const GeographicPoint& b) {
    const double north = std::sin(0.5 * (b.latitude - a.latitude));
    const double east = std::sin(0.5 * (b.longitude - a.longitude));
    const double square = north * north + std::cos(a.latitude) * std::cos(b.latitude) * east * east;
    return 2 * earth_radius * std::asin(std::sqrt(std::min(square, 1.0)));
}

/// Returns the centre of a cell.
[[nodiscard]] inline GeographicPoint center_of(const VoronoiMesh& mesh, std::int64_t cell) {
    return {mesh.longitude[std::size_t(cell)], mesh.latitude[std::size_t(cell)]};
}

}  // namespace tradewind::fvwam

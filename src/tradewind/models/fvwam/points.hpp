/// Named points of the sea, whose spectra a run shows.
#pragma once

#include <string>
#include <vector>

#include "tradewind/models/fvwam/forcing/wind.hpp"
#include "tradewind/models/fvwam/mesh/voronoi_mesh.hpp"

namespace tradewind::fvwam {

struct NamedPoint {
    std::string name;
    GeographicPoint place;
    /// The sea cell that has the point.
    std::int64_t cell = no_cell;
};

/// Reads lines of a name, longitude and latitude in degrees; "#" begins a comment. The points have
/// no cells yet. Throws ConfigError naming the line.
[[nodiscard]] std::vector<NamedPoint> points_of(const std::string& text);
/// Reads points and finds the sea cell of each, that with the nearest centre. Throws ConfigError
/// naming a point that is farther from it than all corners of the cell are: on land, or outside.
[[nodiscard]] std::vector<NamedPoint> read_points(const std::string& text, const VoronoiMesh& mesh);

}  // namespace tradewind::fvwam

/// A patch of regular hexagons on the equator, for measurements without a mesh file.
#pragma once

#include <cmath>
#include <numbers>

#include "tradewind/models/fvwam/mesh/voronoi_mesh.hpp"

namespace tradewind::bench {

/// Returns `rows` x `rows` hexagons of equal size that meet at the ends of the patch, 30 km apart,
/// in deep water.
[[nodiscard]] inline fvwam::VoronoiMesh hexagons(std::int64_t rows) {
    constexpr double spacing = 30e3;                                    // m
    const double length = spacing / std::numbers::sqrt3;                // of a side
    const double area = 0.5 * std::numbers::sqrt3 * spacing * spacing;  // m2
    fvwam::VoronoiMesh mesh;
    mesh.graph.first.push_back(0);
    const auto number = [rows](std::int64_t i, std::int64_t j) {
        return std::int32_t((j + rows) % rows * rows + (i + rows) % rows);
    };
    for (std::int64_t j = 0; j < rows; ++j) {
        for (std::int64_t i = 0; i < rows; ++i) {
            const std::int64_t steps[6][2] = {{1, 0}, {0, 1}, {-1, 1}, {-1, 0}, {0, -1}, {1, -1}};
            for (int side = 0; side < 6; ++side) {
                const double angle = side * std::numbers::pi / 3;
                const std::int32_t neighbor = number(i + steps[side][0], j + steps[side][1]);
                mesh.graph.neighbors.push_back(neighbor);
                mesh.sides.push_back(
                    {neighbor, length / area, std::cos(angle), std::sin(angle), spacing});
            }
            mesh.graph.first.push_back(mesh.graph.sides());
            mesh.cell_in_file.push_back(std::int32_t(mesh.cell_in_file.size()));
            mesh.longitude.push_back(double(i) * spacing / fvwam::earth_radius);
            mesh.latitude.push_back(double(j - rows / 2) * spacing / fvwam::earth_radius);
            mesh.area.push_back(area);
            mesh.depth.push_back(4000.0);
            mesh.slope_east.push_back(0.0);
            mesh.slope_north.push_back(0.0);
        }
    }
    mesh.finest_spacing = spacing;
    return mesh;
}

}  // namespace tradewind::bench

/// OutputGrid: the points of a latitude-longitude grid in the elements of the mesh.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tradewind/models/homme/mesh/geometry.hpp"

namespace tradewind::homme {

/// The places of the points of a grid, by point and by element.
class OutputGrid {
public:
    /// `latitudes_deg` and `longitudes_deg` in degrees; points are numbered row by row, a row for
    /// every latitude.
    OutputGrid(const CubedSphere& mesh, const CubeGeometry& geometry,
               std::span<const double> latitudes_deg, std::span<const double> longitudes_deg);

    [[nodiscard]] const CubeGeometry::Location& location(std::int64_t point) const {
        return locations_[std::size_t(point)];
    }
    /// Returns the points in an element, in rising order.
    [[nodiscard]] std::span<const std::int64_t> points_in(std::int64_t element) const;
    /// Returns the number of the row of a point.
    [[nodiscard]] std::int64_t row(std::int64_t point) const { return point / longitudes_; }

private:
    std::int64_t longitudes_;
    std::vector<CubeGeometry::Location> locations_;
    /// The points by element, and where those of an element begin.
    std::vector<std::int64_t> points_;
    std::vector<std::int64_t> starts_;
};

}  // namespace tradewind::homme

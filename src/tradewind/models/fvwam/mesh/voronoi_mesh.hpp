/// VoronoiMesh: the sea cells of a spherical Voronoi mesh, as MPAS files have them.
///
/// Cells touch along edges; the line between the centres of two cells crosses their edge at a right
/// angle. Here all numbers are 0-based and -1 stands for none: land, or the end of the region. Land
/// cells are left out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tradewind/models/fvwam/mesh/netcdf_classic.hpp"

namespace tradewind::fvwam {

inline constexpr std::int32_t no_cell = -1;

/// The side of a cell along one of its edges.
struct CellSide {
    /// The cell beyond the edge, or no_cell.
    std::int32_t neighbor;
    /// The length of the edge over the area of the cell, in 1/m.
    double length_over_area;
    /// The outward normal of the edge: its components to the east and to the north.
    double east;
    double north;
    /// The distance of the two centres in m.
    double distance;
};

/// The neighbours of all cells, on which messages depend.
struct CellGraph {
    /// The place of the first side of each cell in `neighbors`; the last entry is their number.
    std::vector<std::int64_t> first;
    /// The cell beyond each side, counterclockwise, or no_cell.
    std::vector<std::int32_t> neighbors;

    [[nodiscard]] std::int64_t cells() const noexcept { return std::int64_t(first.size()) - 1; }
    [[nodiscard]] std::int64_t sides() const noexcept { return std::int64_t(neighbors.size()); }
};

/// The depths that a sea can have, in m; python/tradewind/mesh/voronoi_mesh.py has them, too.
inline constexpr double shallowest_sea = 0.25;
inline constexpr double deepest_sea = 12000.0;

/// The mesh of a run with data.
struct VoronoiMesh {
    /// The name of the file.
    std::string file;
    CellGraph graph;
    /// The number of each cell in the file, the centre in rad, area in m2, depth in m, and the
    /// slopes of the depth to the east and to the north.
    std::vector<std::int32_t> cell_in_file;
    std::vector<double> longitude;
    std::vector<double> latitude;
    std::vector<double> area;
    std::vector<double> depth;
    std::vector<double> slope_east;
    std::vector<double> slope_north;
    /// The sides of all cells, in the order of the graph.
    std::vector<CellSide> sides;
    /// The corner before each side, and the corners of all cells in rad.
    std::vector<std::int32_t> corners;
    std::vector<double> corner_longitude;
    std::vector<double> corner_latitude;
    /// The smallest distance of two centres, in m.
    double finest_spacing = 0.0;

    [[nodiscard]] std::int64_t cells() const noexcept { return graph.cells(); }
};

/// The centres of the sea cells, in rad.
struct MeshPlaces {
    std::vector<double> longitude;
    std::vector<double> latitude;
};

/// Returns the graph of the sea cells of a mesh file. Throws ConfigError, naming the variable, if
/// the file lacks one, sizes do not fit, or cells do not name each other.
[[nodiscard]] CellGraph read_graph(const std::string& path);
/// Returns the centres of the sea cells.
[[nodiscard]] MeshPlaces read_places(const std::string& path);
/// Returns the sea cells with geometry and depth, whose fields agree with each other. The depth of
/// a file without `bottomDepth`, or with zeros in it, is `usual_depth`.
[[nodiscard]] VoronoiMesh read_mesh(const std::string& path, double usual_depth);

}  // namespace tradewind::fvwam

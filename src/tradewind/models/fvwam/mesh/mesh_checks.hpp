/// Checks of a mesh that was read: its fields agree with each other, and it is one sea.
#pragma once

#include "tradewind/models/fvwam/mesh/voronoi_mesh.hpp"

namespace tradewind::fvwam {

/// Throws ConfigError, naming the field and the cells of the file, if two cells are at the same
/// place, or if distances, angles or areas contradict the places of the cells.
void check_geometry(const VoronoiMesh& mesh);

/// Throws ConfigError if the cells are in several parts that share no edge.
void check_connected(const VoronoiMesh& mesh);

}  // namespace tradewind::fvwam

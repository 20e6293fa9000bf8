/// Meshes in memory for tests of the wave model.
#pragma once

#include "support/wave_mesh.hpp"
#include "tradewind/models/fvwam/mesh/voronoi_mesh.hpp"

namespace tradewind::fvwam {

/// A mesh file in a folder of its own.
class MeshFolder {
public:
    explicit MeshFolder(const support::WrittenNetcdf& file) { file.write(path()); }
    [[nodiscard]] std::string path() const { return folder_.path() / "mesh.nc"; }

private:
    support::Folder folder_;
};

/// Returns the mesh that a file becomes.
inline VoronoiMesh mesh_of(const support::WrittenNetcdf& file, double usual_depth = 4000.0) {
    return read_mesh(MeshFolder(file).path(), usual_depth);
}

}  // namespace tradewind::fvwam

/// Meshes of Voronoi cells: geometry as it is read, land that is left out, and files that are
/// refused.
#include <algorithm>
#include <numbers>

#include "models/fvwam_meshes.hpp"
#include "testing.hpp"
#include "tradewind/base/errors.hpp"
#include "tradewind/models/fvwam/mesh/cell_order.hpp"
#include "tradewind/models/fvwam/spectrum.hpp"

using namespace tradewind;
using namespace tradewind::fvwam;
using support::WrittenNetcdf;

namespace {

constexpr double sphere_area = 4 * std::numbers::pi * earth_radius * earth_radius;

WrittenNetcdf small_sphere(double radius = earth_radius) {
    return support::mesh_file(support::icosahedron(2), radius);
}

/// Returns what is wrong with a changed mesh, without the name of the file.
template <class Change>
std::string complaint(const Change& change) {
    WrittenNetcdf file = small_sphere();
    change(file);
    const MeshFolder folder(file);
    try {
        (void)read_mesh(folder.path(), 4000);
    } catch (const ConfigError& error) {
        const std::string told = error.what();
        CHECK(told.starts_with(folder.path() + ": "));
        return told.substr(folder.path().size() + 2);
    }
    return "no error";
}

/// Returns a change of one value of a variable.
auto with_value(const char* name, std::size_t place, double value) {
    return [=](WrittenNetcdf& file) { file.variables.at(name).values.at(place) = value; };
}

WrittenNetcdf with_land(const std::vector<std::int32_t>& land) {
    WrittenNetcdf file = small_sphere();
    file.variables["maskCell"] = {{"nCells"}, support::netcdf_int, {}, {}, {}};
    file.variables["maskCell"].values.assign(162, 1);
    for (const std::int32_t cell : land) file.variables["maskCell"].values[std::size_t(cell)] = 0;
    return file;
}

/// Returns the largest sum of the sides of a cell as vectors, over their length, below 60 degrees.
double largest_gap(const VoronoiMesh& mesh) {
    double most = 0.0;
    for (std::int64_t cell = 0; cell < mesh.cells(); ++cell) {
        if (std::abs(mesh.latitude[std::size_t(cell)]) > std::numbers::pi / 3) continue;
        double east = 0.0;
        double north = 0.0;
        double length = 0.0;
        for (auto s = mesh.graph.first[std::size_t(cell)];
             s < mesh.graph.first[std::size_t(cell) + 1]; ++s) {
            const CellSide& side = mesh.sides[std::size_t(s)];
            east += side.length_over_area * side.east;
            north += side.length_over_area * side.north;
            length += side.length_over_area;
        }
        most = std::max(most, std::hypot(east, north) / length);
    }
    return most;
}

}  // namespace

TEST_CASE("a sphere of bisected triangles has the cells, sides and area of a sphere") {
    const VoronoiMesh mesh = mesh_of(small_sphere());
    CHECK_EQ(mesh.cells(), 162);
    CHECK_EQ(mesh.graph.sides(), 2 * 480);
    CHECK_EQ(std::ranges::count(mesh.graph.neighbors, no_cell), 0);
    double area = 0.0;
    for (const double one : mesh.area) area += one;
    CHECK(std::abs(area / sphere_area - 1) < 1e-12);
    CHECK(std::ranges::all_of(mesh.depth, [](double depth) { return depth == 4000; }));
    // Sides surround a cell: what is left over comes from the curvature of the sphere.
    CHECK(largest_gap(mesh) < 0.15);
    CHECK(largest_gap(mesh_of(support::mesh_file(support::icosahedron(3)))) < 0.075);
    CHECK(largest_gap(mesh_of(support::mesh_file(support::hexagons(6, 5, 1000)))) < 1e-7);
}

TEST_CASE("both sides of an edge have the same length and opposite normals") {
    const VoronoiMesh mesh = mesh_of(small_sphere());
    for (std::int64_t cell = 0; cell < mesh.cells(); ++cell) {
        for (auto s = mesh.graph.first[std::size_t(cell)];
             s < mesh.graph.first[std::size_t(cell) + 1]; ++s) {
            const CellSide& side = mesh.sides[std::size_t(s)];
            const auto other = std::size_t(side.neighbor);
            const auto back =
                std::ranges::find_if(mesh.sides.begin() + mesh.graph.first[other],
                                     mesh.sides.begin() + mesh.graph.first[other + 1],
                                     [&](const CellSide& one) { return one.neighbor == cell; });
            CHECK_EQ(back->east, -side.east);
            CHECK_EQ(back->north, -side.north);
            CHECK_EQ(back->distance, side.distance);
            CHECK(std::abs(back->length_over_area * mesh.area[other] /
                               (side.length_over_area * mesh.area[std::size_t(cell)]) -
                           1) < 1e-15);
        }
    }
}

TEST_CASE("a mesh of the unit sphere becomes one of the Earth") {
    const VoronoiMesh earth = mesh_of(small_sphere());
    const VoronoiMesh scaled = mesh_of(small_sphere(1.0));
    CHECK(std::abs(scaled.finest_spacing / earth.finest_spacing - 1) < 1e-14);
    for (std::size_t cell = 0; cell < earth.area.size(); ++cell)
        CHECK(std::abs(scaled.area[cell] / earth.area[cell] - 1) < 1e-14);
    for (std::size_t s = 0; s < earth.sides.size(); ++s) {
        CHECK(std::abs(scaled.sides[s].length_over_area / earth.sides[s].length_over_area - 1) <
              1e-14);
        CHECK(std::abs(scaled.sides[s].distance / earth.sides[s].distance - 1) < 1e-14);
    }
}

TEST_CASE("land is left out, and beyond its coast there is no cell") {
    const VoronoiMesh whole = mesh_of(small_sphere());
    const std::int32_t land = whole.graph.neighbors[0];
    const VoronoiMesh sea = mesh_of(with_land({land, 50}));
    CHECK_EQ(sea.cells(), 160);
    CHECK(std::ranges::find(sea.cell_in_file, land) == sea.cell_in_file.end());
    CHECK_EQ(sea.graph.neighbors[0], no_cell);
    CHECK_EQ(sea.sides[0].neighbor, no_cell);
    const auto sides_of = [&](std::int32_t cell) {
        return whole.graph.first[std::size_t(cell) + 1] - whole.graph.first[std::size_t(cell)];
    };
    // Each side of a cell of land is a coast of its neighbour.
    CHECK_EQ(std::ranges::count(sea.graph.neighbors, no_cell), sides_of(land) + sides_of(50));
    for (std::int64_t cell = 0; cell < sea.cells(); ++cell) {
        const auto in_file = std::size_t(sea.cell_in_file[std::size_t(cell)]);
        CHECK_EQ(sea.area[std::size_t(cell)], whole.area[in_file]);
        for (auto s = sea.graph.first[std::size_t(cell)];
             s < sea.graph.first[std::size_t(cell) + 1]; ++s) {
            const auto way = s - sea.graph.first[std::size_t(cell)];
            const std::int32_t there =
                whole.graph.neighbors[std::size_t(whole.graph.first[in_file] + way)];
            const std::int32_t here = sea.graph.neighbors[std::size_t(s)];
            CHECK(here == no_cell ? there == land || there == 50
                                  : sea.cell_in_file[std::size_t(here)] == there);
        }
    }
    const CellGraph graph = read_graph(MeshFolder(with_land({land, 50})).path());
    CHECK(graph.neighbors == sea.graph.neighbors && graph.first == sea.graph.first);
}

TEST_CASE("depths and slopes are those of the file unless all of them are 0") {
    WrittenNetcdf file = small_sphere();
    for (const char* const name : {"bottomDepth", "dHdx", "dHdy"})
        file.variables[name] = {
            {"nCells"}, support::netcdf_double, std::vector<double>(162, 0.0), {}, {}};
    file.variables["dHdx"].values[7] = 0.25;
    CHECK_EQ(mesh_of(file, 123.0).depth[5], 123.0);
    CHECK_EQ(mesh_of(file, 123.0).slope_east[7], 0.0);
    for (std::size_t n = 0; n < 162; ++n) file.variables["bottomDepth"].values[n] = 10 + double(n);
    CHECK_EQ(mesh_of(file, 123.0).depth[5], 15.0);
    CHECK_EQ(mesh_of(file, 123.0).slope_east[7], 0.25);
    file.variables["bottomDepth"].values[9] = 0;
    const MeshFolder folder(file);
    try {
        (void)read_mesh(folder.path(), 123.0);
        CHECK(false);
    } catch (const ConfigError& error) {
        CHECK_EQ(std::string(error.what()),
                 folder.path() + ": bottomDepth(10) = 0 of a sea cell is not positive");
    }
}

TEST_CASE("a mesh without a variable is refused, naming it") {
    for (const char* const name : {"nEdgesOnCell", "cellsOnCell", "edgesOnCell", "verticesOnCell",
                                   "cellsOnEdge", "angleEdge", "dvEdge", "dcEdge", "areaCell",
                                   "lonCell", "latCell", "lonVertex", "latVertex"}) {
        CAPTURE(name);
        CHECK_EQ(complaint([&](WrittenNetcdf& file) { file.variables.erase(name); }),
                 std::string("has no variable ") + name);
    }
    CHECK_EQ(complaint([](WrittenNetcdf& file) {
                 file.dimensions.erase("nVertices");
                 file.variables.erase("lonVertex");
                 file.variables.erase("latVertex");
             }),
             "has no dimension nVertices");
}

TEST_CASE("numbers of cells that do not fit each other are refused, naming both") {
    const CellGraph graph = mesh_of(small_sphere()).graph;
    const std::int32_t own = graph.neighbors[0] + 1;
    std::int32_t far = 1;
    while (far == 1 || std::ranges::find(graph.neighbors.begin(), graph.neighbors.begin() + 6,
                                         far - 1) != graph.neighbors.begin() + 6)
        ++far;
    CHECK_EQ(complaint(with_value("cellsOnCell", 0, far)),
             text("cellsOnCell: cell 1 has the neighbour ", far,
                  ", which does not have it as a neighbour"));
    CHECK_EQ(complaint(with_value("cellsOnCell", 1, own)),
             text("cellsOnCell: cell 1 has the neighbour ", own, " twice, or itself"));
    CHECK_EQ(complaint(with_value("cellsOnCell", 0, 163)),
             "cellsOnCell(1,1) = 163 is not in 0..162");
    CHECK_EQ(complaint(with_value("cellsOnCell", 0, -1)), "cellsOnCell(1,1) = -1 is not in 0..162");
    CHECK_EQ(complaint(with_value("cellsOnCell", 0, 1)),
             "cellsOnCell: cell 1 has the neighbour 1 twice, or itself");
    // One direction alone is cut.
    CHECK_EQ(complaint(with_value("cellsOnCell", 0, 0)),
             text("cellsOnCell: cell ", own,
                  " has the neighbour 1, which does not have it as a neighbour"));
    CHECK_EQ(complaint(with_value("edgesOnCell", 3, 481)),
             "edgesOnCell(1,4) = 481 is not in 1..480");
    CHECK_EQ(complaint(with_value("edgesOnCell", 3, 0)), "edgesOnCell(1,4) = 0 is not in 1..480");
    CHECK_EQ(complaint(with_value("edgesOnCell", 3, 480)),
             "edgesOnCell: cell 1 has edge 480, whose cellsOnEdge do not name it");
    CHECK_EQ(complaint(with_value("verticesOnCell", 2, 321)),
             "verticesOnCell(1,3) = 321 is not in 1..320");
    CHECK_EQ(complaint(with_value("nEdgesOnCell", 4, 7)), "nEdgesOnCell(5) = 7 is not in 3..6");
    CHECK_EQ(complaint(with_value("nEdgesOnCell", 4, 2)), "nEdgesOnCell(5) = 2 is not in 3..6");
}

TEST_CASE("values that are not finite or have no meaning are refused, naming their place") {
    for (const char* const name : {"lonCell", "areaCell", "angleEdge", "dvEdge", "latVertex"}) {
        CAPTURE(name);
        CHECK_EQ(complaint(with_value(name, 3, NAN)), text(name, "(4) is not a finite number"));
        CHECK_EQ(complaint(with_value(name, 3, INFINITY)),
                 text(name, "(4) is not a finite number"));
    }
    CHECK_EQ(complaint(with_value("areaCell", 3, 0)),
             "areaCell(4) = 0 of a sea cell is not positive");
    CHECK_EQ(complaint(with_value("areaCell", 3, -2)),
             "areaCell(4) = -2 of a sea cell is not positive");
    CHECK_EQ(complaint(with_value("dcEdge", 8, 0)), "dcEdge(9) = 0 is not positive");
    CHECK_EQ(complaint(with_value("dvEdge", 8, -1)), "dvEdge(9) = -1 is negative");
    CHECK(complaint(with_value("dvEdge", 8, 0)).ends_with("% of it"));
    CHECK_EQ(complaint(with_value("latCell", 3, 45)),
             "latCell(4) = 45 is not in -pi/2..pi/2: expected radians");
    CHECK_EQ(complaint([](WrittenNetcdf& file) {
                 file.variables["maskCell"] = {
                     {"nCells"}, support::netcdf_int, std::vector<double>(162, 0.0), {}, {}};
             }),
             "maskCell: no cell is sea");
}

TEST_CASE("variables of other sizes are refused with both") {
    CHECK_EQ(complaint([](WrittenNetcdf& file) {
                 file.variables["areaCell"].dimensions = {"nEdges"};
                 file.variables["areaCell"].values.resize(480, 1.0);
             }),
             "areaCell has 480 values, expected 162");
    CHECK_EQ(complaint([](WrittenNetcdf& file) {
                 file.variables["cellsOnCell"].dimensions = {"nCells"};
                 file.variables["cellsOnCell"].values.resize(162);
             }),
             "cellsOnCell has 162 values, expected 972");
    CHECK_EQ(complaint([](WrittenNetcdf& file) {
                 file.variables["cellsOnCell"].type = support::netcdf_double;
             }),
             "cellsOnCell has no whole numbers");
}

TEST_CASE("a Hilbert curve visits every cell once and mostly goes to a near one") {
    const VoronoiMesh mesh = mesh_of(support::mesh_file(support::icosahedron(4)));
    CHECK_EQ(mesh.cells(), 2562);
    const std::vector<std::int32_t> order = hilbert_order(mesh.longitude, mesh.latitude);
    std::vector<bool> is_seen(order.size());
    for (const std::int32_t cell : order) is_seen[std::size_t(cell)] = true;
    CHECK_EQ(std::ranges::count(is_seen, true), 2562);
    int near = 0;
    for (std::size_t n = 1; n < order.size(); ++n) {
        const auto one = std::size_t(order[n - 1]);
        const auto two = std::size_t(order[n]);
        const double angle =
            support::angle_between(support::point_at(mesh.longitude[one], mesh.latitude[one]),
                                   support::point_at(mesh.longitude[two], mesh.latitude[two]));
        near += angle * earth_radius < 2.5 * mesh.finest_spacing;
    }
    CHECK(near > 0.9 * 2561);
}

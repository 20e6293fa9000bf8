#include "tradewind/models/fvwam/mesh/voronoi_mesh.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tradewind/base/data_file.hpp"
#include "tradewind/base/errors.hpp"
#include "tradewind/models/fvwam/mesh/mesh_checks.hpp"
#include "tradewind/models/fvwam/spectrum.hpp"

namespace tradewind::fvwam {

namespace {

constexpr std::int64_t most_cells = std::int64_t{1} << 30;
/// The radius of meshes whose lengths are not in metres.
constexpr double unit_radius = 1.0;

/// A file with the numbers of its sea cells.
class MeshFile {
public:
    explicit MeshFile(const std::string& path) : file_(path) {
        cells_ = file_.dimension("nCells");
        edges_ = file_.dimension("nEdges");
        vertices_ = file_.dimension("nVertices");
        most_sides_ = file_.dimension("maxEdges");
        if (cells_ < 1 || cells_ > most_cells || most_sides_ < 3)
            throw ConfigError(text(path, ": nCells = ", cells_, ", maxEdges = ", most_sides_,
                                   ": expected at least one cell, with three edges or more"));
        // A radius that is not given, or 0, stands for the unit sphere.
        const double radius = file_.attribute("sphere_radius", 0.0);
        if (!(radius >= 0) || !std::isfinite(radius))
            throw ConfigError(
                text(file_.name(), ": sphere_radius = ", radius, ": expected a radius in m, or 1"));
        scale_ = radius == 0.0 || radius == unit_radius ? earth_radius : 1.0;
        number_sea_cells();
        side_counts_ = table("nEdgesOnCell", cells_);
    }

    [[nodiscard]] std::int64_t edges() const noexcept { return edges_; }
    [[nodiscard]] std::int64_t vertices() const noexcept { return vertices_; }
    [[nodiscard]] const std::vector<std::int32_t>& sea() const noexcept { return sea_; }
    [[nodiscard]] bool has(std::string_view name) const { return file_.has(name); }
    /// Returns the sea cell of a 1-based number of the file, or no_cell.
    [[nodiscard]] std::int32_t sea_cell(std::int32_t in_file) const {
        return in_file < 1 ? no_cell : number_[std::size_t(in_file) - 1];
    }
    /// Returns the number of sides of a sea cell.
    [[nodiscard]] std::int64_t side_count(std::int64_t cell) const {
        return side_counts_[std::size_t(sea_[std::size_t(cell)])];
    }

    /// Returns the numbers of a variable, whose size must be `count`.
    [[nodiscard]] std::vector<std::int32_t> table(std::string_view name, std::int64_t count) {
        check(name, count);
        return file_.wholes(name);
    }
    [[nodiscard]] std::vector<double> reals(std::string_view name, std::int64_t count) {
        check(name, count);
        std::vector<double> values = file_.reals(name);
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (!std::isfinite(values[i]))
                throw ConfigError(
                    text(file_.name(), ": ", name, "(", i + 1, ") is not a finite number"));
        }
        return values;
    }
    /// Returns lengths to the power `power`, in metres.
    [[nodiscard]] std::vector<double> lengths(std::string_view name, std::int64_t count,
                                              double power = 1.0) {
        std::vector<double> values = reals(name, count);
        for (double& value : values) value *= std::pow(scale_, power);
        return values;
    }
    /// Returns a number for each sea cell.
    [[nodiscard]] std::vector<double> of_cells(std::string_view name, double factor = 1.0) {
        const std::vector<double> all = reals(name, cells_);
        std::vector<double> values;
        values.reserve(sea_.size());
        for (const std::int32_t cell : sea_) values.push_back(all[std::size_t(cell)] * factor);
        return values;
    }
    [[nodiscard]] double area_scale() const noexcept { return scale_ * scale_; }

    /// Returns the entries of a variable over cells and their sides, for the sides of sea cells, as
    /// 0-based numbers below `limit`. A 0 in the file stays no_cell, if that is allowed.
    [[nodiscard]] std::vector<std::int32_t> of_sides(std::string_view name, std::int64_t limit,
                                                     bool allows_none) {
        const std::vector<std::int32_t> all = table(name, cells_ * most_sides_);
        std::vector<std::int32_t> values;
        for (std::size_t cell = 0; cell < sea_.size(); ++cell) {
            const std::int64_t in_file = sea_[cell];
            for (std::int64_t side = 0; side < side_count(std::int64_t(cell)); ++side) {
                const std::int32_t entry = all[std::size_t(in_file * most_sides_ + side)];
                if (entry < (allows_none ? 0 : 1) || entry > limit)
                    throw ConfigError(text(file_.name(), ": ", name, "(", in_file + 1, ",",
                                           side + 1, ") = ", entry, " is not in ",
                                           allows_none ? 0 : 1, "..", limit));
                values.push_back(entry - 1);
            }
        }
        return values;
    }
    [[nodiscard]] CellGraph graph() {
        CellGraph graph;
        graph.first.push_back(0);
        for (std::size_t cell = 0; cell < sea_.size(); ++cell) {
            const std::int64_t sides = side_count(std::int64_t(cell));
            if (sides < 3 || sides > most_sides_)
                throw ConfigError(text(file_.name(), ": nEdgesOnCell(", sea_[cell] + 1,
                                       ") = ", sides, " is not in 3..", most_sides_));
            graph.first.push_back(graph.first.back() + sides);
        }
        graph.neighbors = of_sides("cellsOnCell", cells_, true);
        for (std::int32_t& neighbor : graph.neighbors) neighbor = sea_cell(neighbor + 1);
        check_symmetry(graph);
        return graph;
    }

private:
    void check(std::string_view name, std::int64_t count) {
        const std::int64_t found = file_.variable(name).values();
        if (found == count) return;
        throw ConfigError(
            text(file_.name(), ": ", name, " has ", found, " values, expected ", count));
    }
    /// Numbers the cells whose maskCell is not 0; without that variable all cells are sea.
    void number_sea_cells() {
        std::vector<std::int32_t> mask(std::size_t(cells_), 1);
        if (file_.has("maskCell")) mask = table("maskCell", cells_);
        number_.assign(std::size_t(cells_), no_cell);
        for (std::int64_t cell = 0; cell < cells_; ++cell) {
            const std::int32_t is_sea = mask[std::size_t(cell)];
            if (is_sea != 0 && is_sea != 1)
                throw ConfigError(
                    text(file_.name(), ": maskCell(", cell + 1, ") = ", is_sea, " is not 0 or 1"));
            if (is_sea == 0) continue;
            number_[std::size_t(cell)] = std::int32_t(sea_.size());
            sea_.push_back(std::int32_t(cell));
        }
        if (sea_.empty()) throw ConfigError(text(file_.name(), ": maskCell: no cell is sea"));
    }
    /// Throws ConfigError unless each neighbour of a cell has it as a neighbour, too.
    void check_symmetry(const CellGraph& graph) const {
        const auto sides_of = [&](std::int64_t cell) {
            const auto begin = graph.neighbors.begin();
            return std::pair(begin + graph.first[std::size_t(cell)],
                             begin + graph.first[std::size_t(cell) + 1]);
        };
        for (std::int64_t cell = 0; cell < graph.cells(); ++cell) {
            const auto [begin, end] = sides_of(cell);
            for (auto side = begin; side != end; ++side) {
                if (*side == no_cell) continue;
                const auto [first, last] = sides_of(*side);
                const bool is_mutual = std::find(first, last, std::int32_t(cell)) != last;
                if (is_mutual && *side != cell && std::find(begin, side, *side) == side) continue;
                throw ConfigError(text(
                    file_.name(), ": cellsOnCell: cell ", sea_[std::size_t(cell)] + 1,
                    " has the neighbour ", sea_[std::size_t(*side)] + 1,
                    is_mutual ? " twice, or itself" : ", which does not have it as a neighbour"));
            }
        }
    }

    NetcdfFile file_;
    std::int64_t cells_;
    std::int64_t edges_;
    std::int64_t vertices_;
    std::int64_t most_sides_;
    double scale_;
    /// The sea cells as they are numbered in the file, and the reverse.
    std::vector<std::int32_t> sea_;
    std::vector<std::int32_t> number_;
    std::vector<std::int32_t> side_counts_;
};

/// Throws ConfigError unless distances are positive and lengths at least 0, as those of raw meshes
/// are at some edges.
void check_edges(const VoronoiMesh& mesh, const std::vector<double>& distance,
                 const std::vector<double>& length) {
    for (std::size_t i = 0; i < distance.size(); ++i) {
        if (!(distance[i] > 0))
            throw ConfigError(
                text(mesh.file, ": dcEdge(", i + 1, ") = ", distance[i], " is not positive"));
        if (!(length[i] >= 0))
            throw ConfigError(
                text(mesh.file, ": dvEdge(", i + 1, ") = ", length[i], " is negative"));
    }
}

/// Sets the sides of all cells from edges.
void set_sides(MeshFile& file, VoronoiMesh& mesh) {
    const std::vector<std::int32_t> edges = file.of_sides("edgesOnCell", file.edges(), false);
    const std::vector<std::int32_t> cells_on_edge = file.table("cellsOnEdge", 2 * file.edges());
    const std::vector<double> angle = file.reals("angleEdge", file.edges());
    const std::vector<double> length = file.lengths("dvEdge", file.edges());
    const std::vector<double> distance = file.lengths("dcEdge", file.edges());
    check_edges(mesh, distance, length);
    mesh.finest_spacing = 2 * earth_radius;
    mesh.sides.reserve(edges.size());
    for (std::int64_t cell = 0; cell < mesh.cells(); ++cell) {
        const std::int32_t in_file = mesh.cell_in_file[std::size_t(cell)] + 1;
        for (std::int64_t s = mesh.graph.first[std::size_t(cell)];
             s < mesh.graph.first[std::size_t(cell) + 1]; ++s) {
            const auto edge = std::size_t(edges[std::size_t(s)]);
            const bool is_first = cells_on_edge[2 * edge] == in_file;
            if (!is_first && cells_on_edge[2 * edge + 1] != in_file)
                throw ConfigError(text(mesh.file, ": edgesOnCell: cell ", in_file, " has edge ",
                                       edge + 1, ", whose cellsOnEdge do not name it"));
            const std::int32_t other = cells_on_edge[2 * edge + (is_first ? 1 : 0)];
            if (file.sea_cell(other) != mesh.graph.neighbors[std::size_t(s)])
                throw ConfigError(text(mesh.file, ": edgesOnCell: cell ", in_file, " has edge ",
                                       edge + 1,
                                       " where cellsOnCell has another neighbour than the edge"));
            const double sign = is_first ? 1.0 : -1.0;
            mesh.sides.push_back(
                {mesh.graph.neighbors[std::size_t(s)], length[edge] / mesh.area[std::size_t(cell)],
                 sign * std::cos(angle[edge]), sign * std::sin(angle[edge]), distance[edge]});
            mesh.finest_spacing = std::min(mesh.finest_spacing, distance[edge]);
        }
    }
}

/// Throws ConfigError unless all values are positive.
void check_positive(const VoronoiMesh& mesh, std::string_view name,
                    const std::vector<double>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i] > 0) continue;
        throw ConfigError(text(mesh.file, ": ", name, "(", mesh.cell_in_file[i] + 1,
                               ") = ", values[i], " of a sea cell is not positive"));
    }
}

/// Throws ConfigError for a sea that is deeper than any on the Earth, or a puddle.
void check_depths(const VoronoiMesh& mesh) {
    for (std::size_t i = 0; i < mesh.depth.size(); ++i) {
        if (mesh.depth[i] >= shallowest_sea && mesh.depth[i] <= deepest_sea) continue;
        throw ConfigError(text(mesh.file, ": bottomDepth(", mesh.cell_in_file[i] + 1,
                               ") = ", mesh.depth[i], " of a sea cell is not in ", shallowest_sea,
                               "..", deepest_sea, " m"));
    }
}

/// Throws ConfigError if latitudes are not in rad.
void check_latitudes(const VoronoiMesh& mesh) {
    constexpr double pole = 0.5 * std::numbers::pi + 1e-9;
    for (std::size_t i = 0; i < mesh.latitude.size(); ++i) {
        if (std::abs(mesh.latitude[i]) <= pole) continue;
        throw ConfigError(text(mesh.file, ": latCell(", mesh.cell_in_file[i] + 1, ") = ",
                               mesh.latitude[i], " is not in -pi/2..pi/2: expected radians"));
    }
}

}  // namespace

CellGraph read_graph(const std::string& path) {
    return MeshFile(path).graph();
}

MeshPlaces read_places(const std::string& path) {
    MeshFile file(path);
    return {file.of_cells("lonCell"), file.of_cells("latCell")};
}

VoronoiMesh read_mesh(const std::string& path, double usual_depth) {
    MeshFile file(path);
    VoronoiMesh mesh;
    mesh.file = name_of_file(path);
    mesh.graph = file.graph();
    mesh.cell_in_file = file.sea();
    mesh.longitude = file.of_cells("lonCell");
    mesh.latitude = file.of_cells("latCell");
    check_latitudes(mesh);
    mesh.area = file.of_cells("areaCell", file.area_scale());
    check_positive(mesh, "areaCell", mesh.area);
    const std::vector<double> zero(mesh.area.size(), 0.0);
    if (file.has("bottomDepth")) mesh.depth = file.of_cells("bottomDepth");
    // Where nobody has set a depth, the variable is missing or 0 everywhere.
    const bool has_depth = std::ranges::any_of(mesh.depth, [](double depth) { return depth != 0; });
    if (!has_depth) mesh.depth.assign(mesh.area.size(), usual_depth);
    check_positive(mesh, "bottomDepth", mesh.depth);
    check_depths(mesh);
    mesh.slope_east = has_depth && file.has("dHdx") ? file.of_cells("dHdx") : zero;
    mesh.slope_north = has_depth && file.has("dHdy") ? file.of_cells("dHdy") : zero;
    set_sides(file, mesh);
    mesh.corners = file.of_sides("verticesOnCell", file.vertices(), false);
    mesh.corner_longitude = file.reals("lonVertex", file.vertices());
    mesh.corner_latitude = file.reals("latVertex", file.vertices());
    check_geometry(mesh);
    return mesh;
}

}  // namespace tradewind::fvwam

/// Small Voronoi meshes in the MPAS format, for tests of what runs on them: a sphere of bisected
/// triangles of the icosahedron, and a patch of hexagons at the equator.
#pragma once

#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <string>
#include <vector>

#include "support/folder.hpp"
#include "support/netcdf_writer.hpp"

namespace support {

inline constexpr double mesh_radius = 6371220.0;  // m

struct Point {
    double x = 0.0;
    double y = 0.0;
    double z = 0.0;

    friend Point operator+(const Point& a, const Point& b) {
        return {a.x + b.x, a.y + b.y, a.z + b.z};
    }
    friend Point operator-(const Point& a, const Point& b) {
        return {a.x - b.x, a.y - b.y, a.z - b.z};
    }
    [[nodiscard]] double longitude() const {
        const double angle = std::atan2(y, x);
        return angle < 0 ? angle + 2 * std::numbers::pi : angle;
    }
    [[nodiscard]] double latitude() const { return std::atan2(z, std::hypot(x, y)); }
};

inline double dot(const Point& a, const Point& b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
inline Point cross(const Point& a, const Point& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline Point unit(const Point& a) {
    const double length = std::sqrt(dot(a, a));
    return {a.x / length, a.y / length, a.z / length};
}
inline Point point_at(double longitude, double latitude) {
    return {std::cos(latitude) * std::cos(longitude), std::cos(latitude) * std::sin(longitude),
            std::sin(latitude)};
}
/// Returns the angle between two points.
inline double angle_between(const Point& a, const Point& b) {
    const Point chord = b - a;
    return 2 * std::asin(std::min(0.5 * std::sqrt(dot(chord, chord)), 1.0));
}

/// Points on the unit sphere, and triangles that are counterclockwise from outside.
struct Triangles {
    std::vector<Point> points;
    std::vector<std::array<int, 3>> triangles;
};

/// Returns the icosahedron, whose triangles are bisected `times` times: 10 * 4^times + 2 points.
inline Triangles icosahedron(int times) {
    const double g = 0.5 * (1 + std::sqrt(5.0));
    Triangles mesh{
        {}, {{0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
             {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
             {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1}}};
    for (const Point& corner : {Point{-1, g, 0}, Point{1, g, 0}, Point{-1, -g, 0}, Point{1, -g, 0},
                                Point{0, -1, g}, Point{0, 1, g}, Point{0, -1, -g}, Point{0, 1, -g},
                                Point{g, 0, -1}, Point{g, 0, 1}, Point{-g, 0, -1}, Point{-g, 0, 1}})
        mesh.points.push_back(unit(corner));
    for (int n = 0; n < times; ++n) {
        std::map<std::pair<int, int>, int> middles;
        std::vector<std::array<int, 3>> finer;
        const auto middle = [&](int a, int b) {
            const auto [found, is_new] =
                middles.emplace(std::minmax(a, b), int(mesh.points.size()));
            if (is_new)
                mesh.points.push_back(
                    unit(mesh.points[std::size_t(a)] + mesh.points[std::size_t(b)]));
            return found->second;
        };
        for (const auto& [a, b, c] : mesh.triangles) {
            const int ab = middle(a, b);
            const int bc = middle(b, c);
            const int ca = middle(c, a);
            finer.insert(finer.end(), {{a, ab, ca}, {b, bc, ab}, {c, ca, bc}, {ab, bc, ca}});
        }
        mesh.triangles = std::move(finer);
    }
    return mesh;
}

/// Returns a lattice of points `spacing` m apart around longitude and latitude 0. The outermost
/// points have no closed cell, so that `columns` x `rows` cells are left.
inline Triangles hexagons(int columns, int rows, double spacing) {
    Triangles mesh;
    const double step = spacing / mesh_radius;
    for (int j = 0; j < rows + 2; ++j) {
        for (int i = 0; i < columns + 2; ++i) {
            const double east = (i - 0.5 * (columns + 1) + (j % 2 == 0 ? 0.0 : 0.5)) * step;
            const double north = (j - 0.5 * (rows + 1)) * step * std::sqrt(0.75);
            mesh.points.push_back(point_at(east, north));
        }
    }
    const auto number = [&](int i, int j) { return j * (columns + 2) + i; };
    for (int j = 0; j < rows + 1; ++j) {
        for (int i = 0; i < columns + 1; ++i) {
            const int a = number(i, j);
            const int b = number(i + 1, j);
            const int c = number(i, j + 1);
            const int d = number(i + 1, j + 1);
            if (j % 2 == 0) {
                mesh.triangles.insert(mesh.triangles.end(), {{a, b, c}, {b, d, c}});
            } else {
                mesh.triangles.insert(mesh.triangles.end(), {{a, b, d}, {a, d, c}});
            }
        }
    }
    return mesh;
}

/// The Voronoi mesh of triangles, as the variables of a file.
class MeshWriter {
public:
    MeshWriter(const Triangles& mesh, double radius) : mesh_(mesh), radius_(radius) {
        for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
            const auto& [a, b, c] = mesh.triangles[t];
            next_[{a, b}] = {c, int(t)};
            next_[{b, c}] = {a, int(t)};
            next_[{c, a}] = {b, int(t)};
            corners_.push_back(circumcenter(at(a), at(b), at(c)));
        }
        for (int p = 0; p < int(mesh.points.size()); ++p) find_neighbors(p);
    }

    [[nodiscard]] WrittenNetcdf file() {
        for (std::size_t p = 0; p < around_.size(); ++p)
            if (cell_[p] > 0) add_cell(int(p));
        file_.numbers["sphere_radius"] = radius_;
        file_.dimensions = {{"nCells", cells_},
                            {"nEdges", std::int64_t(edges_.size())},
                            {"nVertices", std::int64_t(corners_.size())},
                            {"maxEdges", most_sides},
                            {"TWO", 2}};
        for (const Point& corner : corners_) {
            add("lonVertex", {"nVertices"}, corner.longitude());
            add("latVertex", {"nVertices"}, corner.latitude());
        }
        return std::move(file_);
    }

private:
    static constexpr int most_sides = 6;
    struct Next {
        int point;
        int triangle;
    };

    [[nodiscard]] const Point& at(int p) const { return mesh_.points[std::size_t(p)]; }
    [[nodiscard]] static Point circumcenter(const Point& a, const Point& b, const Point& c) {
        return unit(cross(b - a, c - a));
    }
    /// Lists the neighbours of a point counterclockwise, and makes it a cell if they close a
    /// circle.
    void find_neighbors(int p) {
        std::vector<Next> circle;
        const auto first = next_.lower_bound({p, -1});
        for (int q = first->first.second;;) {
            const auto found = next_.find({p, q});
            if (found == next_.end()) {
                circle.clear();
                break;
            }
            circle.push_back({q, found->second.triangle});
            q = found->second.point;
            if (q == first->first.second) break;
        }
        cell_.push_back(circle.empty() ? 0 : int(++cells_));
        around_.push_back(std::move(circle));
    }
    void add(const char* name, std::vector<std::string> dimensions, double value,
             std::int32_t type = netcdf_double) {
        WrittenVariable& variable = file_.variables[name];
        variable.dimensions = std::move(dimensions);
        variable.type = type;
        variable.values.push_back(value);
    }
    void add_number(const char* name, double value) {
        add(name, {"nCells", "maxEdges"}, value, netcdf_int);
    }
    void add_cell(int p) {
        const std::vector<Next>& circle = around_[std::size_t(p)];
        double area = 0.0;
        for (std::size_t s = 0; s < most_sides; ++s) {
            if (s >= circle.size()) {
                for (const char* name : {"cellsOnCell", "edgesOnCell", "verticesOnCell"})
                    add_number(name, 0);
                continue;
            }
            // The corner before a side belongs to the triangle before its neighbour.
            const int before = circle[(s + circle.size() - 1) % circle.size()].triangle;
            const int after = circle[s].triangle;
            add_number("cellsOnCell", cell_[std::size_t(circle[s].point)]);
            add_number("edgesOnCell", edge(p, circle[s].point, before, after));
            add_number("verticesOnCell", before + 1);
            area += area_of(at(p), corner(before), corner(after));
        }
        add("nEdgesOnCell", {"nCells"}, double(circle.size()), netcdf_int);
        add("lonCell", {"nCells"}, at(p).longitude());
        add("latCell", {"nCells"}, at(p).latitude());
        add("areaCell", {"nCells"}, area * radius_ * radius_);
    }
    [[nodiscard]] const Point& corner(int triangle) const {
        return corners_[std::size_t(triangle)];
    }
    [[nodiscard]] static double area_of(const Point& a, const Point& b, const Point& c) {
        return 2 * std::atan2(dot(a, cross(b - a, c - a)), 1 + dot(a, b) + dot(b, c) + dot(c, a));
    }
    /// Returns the number of the edge between two points, which is added if it is new. Its normal
    /// points from `from`, a cell, to `to`.
    int edge(int from, int to, int before, int after) {
        const auto [found, is_new] = edges_.emplace(std::minmax(from, to), int(edges_.size()) + 1);
        if (!is_new) return found->second;
        const Point middle = unit(at(from) + at(to));
        const Point way = at(to) - at(from);
        const Point east = unit({-middle.y, middle.x, 0});
        const Point north = cross(middle, east);
        add("angleEdge", {"nEdges"}, std::atan2(dot(way, north), dot(way, east)));
        add("dcEdge", {"nEdges"}, radius_ * angle_between(at(from), at(to)));
        add("dvEdge", {"nEdges"}, radius_ * angle_between(corner(before), corner(after)));
        add("cellsOnEdge", {"nEdges", "TWO"}, cell_[std::size_t(from)], netcdf_int);
        add("cellsOnEdge", {"nEdges", "TWO"}, cell_[std::size_t(to)], netcdf_int);
        return found->second;
    }

    const Triangles& mesh_;
    double radius_;
    WrittenNetcdf file_;
    /// The triangle (p, q, r) by p and q.
    std::map<std::pair<int, int>, Next> next_;
    std::vector<std::vector<Next>> around_;
    /// The 1-based numbers of cells, 0 for points without a closed cell.
    std::vector<int> cell_;
    std::int64_t cells_ = 0;
    std::map<std::pair<int, int>, int> edges_;
    std::vector<Point> corners_;
};

/// Returns the Voronoi mesh of triangles, of a sphere with that radius.
inline WrittenNetcdf mesh_file(const Triangles& triangles, double radius = mesh_radius) {
    return MeshWriter(triangles, radius).file();
}

/// Returns the file of a sphere of 162 cells, which the process writes once.
inline const std::string& path_of_small_mesh() {
    static const Folder folder;
    static const std::string path = [] {
        const std::string place = folder.path() / "mesh.nc";
        mesh_file(icosahedron(2)).write(place);
        return place;
    }();
    return path;
}

}  // namespace support

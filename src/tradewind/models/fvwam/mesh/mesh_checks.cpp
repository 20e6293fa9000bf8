#include "tradewind/models/fvwam/mesh/mesh_checks.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "tradewind/base/errors.hpp"
#include "tradewind/base/interrupts.hpp"
#include "tradewind/models/fvwam/forcing/great_circle.hpp"
#include "tradewind/models/fvwam/spectrum.hpp"

namespace tradewind::fvwam {

namespace {

/// Other generators differ by rounding, and by flat instead of spherical formulas.
constexpr double length_tolerance = 0.02;
constexpr double area_tolerance = 0.05;
constexpr double angle_tolerance = 0.2;  // rad

struct UnitVector {
    double x;
    double y;
    double z;
};

[[nodiscard]] UnitVector place_of(const VoronoiMesh& mesh, std::int64_t cell) {
    const double longitude = mesh.longitude[std::size_t(cell)];
    const double latitude = mesh.latitude[std::size_t(cell)];
    return {std::cos(latitude) * std::cos(longitude), std::cos(latitude) * std::sin(longitude),
            std::sin(latitude)};
}

[[nodiscard]] std::int32_t in_file(const VoronoiMesh& mesh, std::int64_t cell) {
    return mesh.cell_in_file[std::size_t(cell)] + 1;
}

/// Returns the words that name the cells on both sides of an edge.
[[nodiscard]] std::string between(const VoronoiMesh& mesh, std::int64_t cell,
                                  const CellSide& side) {
    return text("between cells ", in_file(mesh, cell), " and ", in_file(mesh, side.neighbor));
}

void check_places(const VoronoiMesh& mesh) {
    std::vector<std::int32_t> order(std::size_t(mesh.cells()));
    std::iota(order.begin(), order.end(), 0);
    const auto place = [&mesh](std::int32_t cell) {
        return std::pair(mesh.latitude[std::size_t(cell)], mesh.longitude[std::size_t(cell)]);
    };
    std::ranges::sort(order, {}, place);
    const auto twice = std::ranges::adjacent_find(order, {}, place);
    if (twice == order.end()) return;
    const auto [one, other] = std::minmax(*twice, *(twice + 1));
    throw ConfigError(text(mesh.file, ": cells ", in_file(mesh, one), " and ", in_file(mesh, other),
                           " are at the same place"));
}

/// Compares distance and normal of an edge with the places of both cells.
void check_edge(const VoronoiMesh& mesh, std::int64_t cell, const CellSide& side) {
    const UnitVector a = place_of(mesh, cell);
    const UnitVector b = place_of(mesh, side.neighbor);
    const double dx = b.x - a.x;
    const double dy = b.y - a.y;
    const double dz = b.z - a.z;
    const double distance = distance_between(center_of(mesh, cell), center_of(mesh, side.neighbor));
    if (std::abs(side.distance - distance) > length_tolerance * distance)
        throw ConfigError(text(mesh.file, ": dcEdge is ", side.distance, " m ",
                               between(mesh, cell, side), ", whose latCell and lonCell are ",
                               distance, " m apart"));
    // The point between the centres; beside a pole east is hardly defined.
    const double x = a.x + b.x;
    const double y = a.y + b.y;
    const double z = a.z + b.z;
    const double across = std::hypot(x, y);
    const double length = std::hypot(across, z);
    if (across < length * side.distance / earth_radius) return;
    const double east = (dy * x - dx * y) / across;
    const double north = (dz * across - (dx * x + dy * y) * z / across) / length;
    const double turn =
        std::atan2(side.north * east - side.east * north, side.east * east + side.north * north);
    if (std::abs(turn) > angle_tolerance)
        throw ConfigError(text(mesh.file, ": angleEdge ", between(mesh, cell, side), " is ",
                               std::abs(turn) * 180 / std::numbers::pi,
                               " degrees off the direction from one to the other"));
}

/// Throws ConfigError if a corner of a cell is far from it.
void check_corners(const VoronoiMesh& mesh, std::int64_t cell) {
    const auto first = std::size_t(mesh.graph.first[std::size_t(cell)]);
    const auto last = std::size_t(mesh.graph.first[std::size_t(cell) + 1]);
    double widest = 0.0;
    for (std::size_t s = first; s < last; ++s) widest = std::max(widest, mesh.sides[s].distance);
    const GeographicPoint center = center_of(mesh, cell);
    for (std::size_t s = first; s < last; ++s) {
        const auto corner = std::size_t(mesh.corners[s]);
        const double distance =
            distance_between(center, {mesh.corner_longitude[corner], mesh.corner_latitude[corner]});
        if (distance <= 2 * widest) continue;
        throw ConfigError(text(mesh.file, ": latVertex(", corner + 1, ") and lonVertex(",
                               corner + 1, ") are ", distance, " m from cell ", in_file(mesh, cell),
                               ", which has this corner"));
    }
}

}  // namespace

void check_geometry(const VoronoiMesh& mesh) {
    check_places(mesh);
    double mean = 0.0;
    for (const CellSide& side : mesh.sides) mean += side.distance / double(mesh.sides.size());
    // The sum of flat triangles is less than a curved cell.
    const double curvature = std::pow(mean / earth_radius, 2);
    for (std::int64_t cell = 0; cell < mesh.cells(); ++cell) {
        check_interrupts(32);
        double share = 0.0;
        for (std::int64_t s = mesh.graph.first[std::size_t(cell)];
             s < mesh.graph.first[std::size_t(cell) + 1]; ++s) {
            const CellSide& side = mesh.sides[std::size_t(s)];
            share += 0.25 * side.distance * side.length_over_area;
            if (side.neighbor > cell) check_edge(mesh, cell, side);
        }
        check_corners(mesh, cell);
        if (std::abs(share - 1) > area_tolerance + curvature)
            throw ConfigError(text(mesh.file, ": areaCell(", in_file(mesh, cell),
                                   ") contradicts "
                                   "dcEdge and dvEdge of its edges, whose triangles are ",
                                   100 * share, " % of it"));
    }
}

void check_connected(const VoronoiMesh& mesh) {
    std::vector<bool> found(std::size_t(mesh.cells()));
    std::vector<std::int64_t> parts;
    std::vector<std::int64_t> next;
    for (std::int64_t first = 0; first < mesh.cells(); ++first) {
        if (found[std::size_t(first)]) continue;
        found[std::size_t(first)] = true;
        next.push_back(first);
        std::int64_t size = 0;
        while (!next.empty()) {
            check_interrupts();
            const std::int64_t cell = next.back();
            next.pop_back();
            ++size;
            for (std::int64_t s = mesh.graph.first[std::size_t(cell)];
                 s < mesh.graph.first[std::size_t(cell) + 1]; ++s) {
                const std::int32_t neighbor = mesh.graph.neighbors[std::size_t(s)];
                if (neighbor == no_cell || found[std::size_t(neighbor)]) continue;
                found[std::size_t(neighbor)] = true;
                next.push_back(neighbor);
            }
        }
        parts.push_back(size);
    }
    if (parts.size() == 1) return;
    std::ranges::sort(parts, std::ranges::greater{});
    std::string sizes;
    for (std::size_t n = 0; n < std::min<std::size_t>(parts.size(), 5); ++n)
        sizes += text(n > 0 ? ", " : "", parts[n]);
    throw ConfigError(text(mesh.file, ": the sea is in ", parts.size(),
                           " parts that share no edge, of ", sizes, parts.size() > 5 ? " ..." : "",
                           " cells; all_seas = true accepts that"));
}

}  // namespace tradewind::fvwam

/// Reads points, and searches their cells.
#include "tradewind/models/fvwam/points.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <sstream>

#include "tradewind/base/errors.hpp"
#include "tradewind/models/fvwam/forcing/great_circle.hpp"
#include "tradewind/models/fvwam/text_lines.hpp"

namespace tradewind::fvwam {

namespace {

constexpr double radians = std::numbers::pi / 180;
/// The most points of a run. Each of them is compared with all cells.
constexpr std::size_t most_points = 1000;

using SpacePoint = std::array<double, 3>;

[[nodiscard]] SpacePoint in_space(const GeographicPoint& place) {
    const double around = std::cos(place.latitude);
    return {around * std::cos(place.longitude), around * std::sin(place.longitude),
            std::sin(place.latitude)};
}

[[nodiscard]] double square_distance(const SpacePoint& a, const SpacePoint& b) {
    const double x = a[0] - b[0];
    const double y = a[1] - b[1];
    const double z = a[2] - b[2];
    return x * x + y * y + z * z;
}

[[nodiscard]] NamedPoint read_point(const TextLine& line) {
    std::istringstream words(line.content);
    NamedPoint point;
    double longitude = 0;
    double latitude = 0;
    std::string more;
    words >> point.name >> longitude >> latitude;
    const bool is_read = bool(words) && !(words >> more);
    if (!is_read || std::abs(longitude) > 360 || std::abs(latitude) > 90) {
        throw ConfigError(text("fvwam: points, line ", line.number, ": \"", line.given,
                               "\": expected a name without spaces, longitude and latitude in "
                               "degrees"));
    }
    point.place = {longitude * radians, latitude * radians};
    return point;
}

/// Returns the distance of a cell's centre to its farthest corner, in m.
[[nodiscard]] double reach_of(const VoronoiMesh& mesh, std::int64_t cell) {
    double reach = 0.0;
    for (std::int64_t s = mesh.graph.first[std::size_t(cell)];
         s < mesh.graph.first[std::size_t(cell) + 1]; ++s) {
        const auto corner = std::size_t(mesh.corners[std::size_t(s)]);
        reach = std::max(
            reach, distance_between(center_of(mesh, cell),
                                    {mesh.corner_longitude[corner], mesh.corner_latitude[corner]}));
    }
    return reach;
}

/// Sets the cell with the nearest centre, the first one of equally near ones.
void find_cells(const VoronoiMesh& mesh, std::vector<NamedPoint>& points) {
    std::vector<SpacePoint> places;
    for (const NamedPoint& point : points) places.push_back(in_space(point.place));
    std::vector<double> nearest(points.size(), std::numeric_limits<double>::infinity());
    for (std::int64_t cell = 0; cell < mesh.cells(); ++cell) {
        const SpacePoint center = in_space(center_of(mesh, cell));
        for (std::size_t n = 0; n < points.size(); ++n) {
            const double square = square_distance(center, places[n]);
            if (square >= nearest[n]) continue;
            nearest[n] = square;
            points[n].cell = cell;
        }
    }
}

}  // namespace

std::vector<NamedPoint> points_of(const std::string& given) {
    std::vector<NamedPoint> points;
    for (const TextLine& line : lines_of(given)) {
        NamedPoint point = read_point(line);
        if (std::ranges::find(points, point.name, &NamedPoint::name) != points.end()) {
            throw ConfigError(text("fvwam: points, line ", line.number, ": the name ", point.name,
                                   " is given twice"));
        }
        points.push_back(std::move(point));
        if (points.size() > most_points) {
            throw ConfigError(text("fvwam: points, line ", line.number, ": at most ", most_points,
                                   " points are allowed"));
        }
    }
    if (points.empty()) throw ConfigError("fvwam: points: has no point");
    return points;
}

std::vector<NamedPoint> read_points(const std::string& given, const VoronoiMesh& mesh) {
    std::vector<NamedPoint> points = points_of(given);
    find_cells(mesh, points);
    for (const NamedPoint& point : points) {
        const double distance = distance_between(point.place, center_of(mesh, point.cell));
        const double reach = reach_of(mesh, point.cell);
        if (distance <= reach) continue;
        throw ConfigError(text("fvwam: points: ", point.name, " is ", 1e-3 * distance,
                               " km from the centre of the nearest sea cell of ", mesh.file,
                               ", whose corners are at most ", 1e-3 * reach,
                               " km from it: the point is on land or outside"));
    }
    return points;
}

}  // namespace tradewind::fvwam

/// Maps (x, y) to angles on a face, to the tangent plane X = tan(alpha), Y = tan(beta), and to the
/// sphere (normal + X axis_x + Y axis_y) / sqrt(1 + X^2 + Y^2).
#include "tradewind/models/homme/mesh/geometry.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tradewind/base/interrupts.hpp"

namespace tradewind::homme {

namespace {

using Vector = std::array<double, 3>;
constexpr double quarter = std::numbers::pi / 4;

[[nodiscard]] double dot(const Vector& a, const Vector& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

[[nodiscard]] Vector real(const CubeVector& v) {
    return {double(v[0]), double(v[1]), double(v[2])};
}

/// Returns the tangent at a place between -1 and 1 along a face; odd to the last bit.
[[nodiscard]] double tangent(double along) {
    return along < 0 ? -std::tan(-along * quarter) : std::tan(along * quarter);
}

}  // namespace

CubeGeometry::CubeGeometry(const CubedSphere& mesh, const GaussLobatto& rule)
    : mesh_(&mesh), count_(rule.count()), tangents_(std::size_t(mesh.ne() * rule.count())) {
    const std::int64_t ne = mesh.ne();
    for (std::int64_t cell = 0; cell < ne; ++cell) {
        for (int k = 0; k < count_; ++k) {
            const double half = double(2 * cell + 1 - ne);
            tangents_[std::size_t(cell * count_ + k)] =
                tangent((half + rule.nodes[std::size_t(k)]) / double(ne));
        }
    }
}

PointGeometry CubeGeometry::point(std::int64_t element, int i, int j) const {
    const ElementPlace place = mesh_->place(element);
    return map(place, tangents_[std::size_t(place.i * count_ + i)],
               tangents_[std::size_t(place.j * count_ + j)]);
}

PointGeometry CubeGeometry::point_at(std::int64_t element, double x, double y) const {
    const ElementPlace place = mesh_->place(element);
    const auto along = [&](std::int64_t cell, double value) {
        return tangent((double(2 * cell + 1 - mesh_->ne()) + value) / double(mesh_->ne()));
    };
    return map(place, along(place.i, x), along(place.j, y));
}

PointGeometry CubeGeometry::map(const ElementPlace& place, double tan_x, double tan_y) const {
    check_interrupts(16);
    const FaceAxes& axes = face_axes(place.face);
    const Vector ex = real(axes.x);
    const Vector ey = real(axes.y);
    const Vector normal = real(axes.normal);
    const double r2 = 1.0 + (tan_x * tan_x + tan_y * tan_y);
    const double r = std::sqrt(r2);
    PointGeometry point;
    for (std::size_t c = 0; c < 3; ++c)
        point.position[c] = (normal[c] + tan_x * ex[c] + tan_y * ey[c]) / r;
    // Tangent vectors along x and y; angles grow by pi / (4 ne) per unit of x.
    const double scale = quarter / double(mesh_->ne());
    Vector along_x;
    Vector along_y;
    for (std::size_t c = 0; c < 3; ++c) {
        const double position = point.position[c];
        along_x[c] = scale * (1 + tan_x * tan_x) * (ex[c] - position * tan_x / r) / r;
        along_y[c] = scale * (1 + tan_y * tan_y) * (ey[c] - position * tan_y / r) / r;
    }
    const Vector& p = point.position;
    const double to_axis = std::hypot(p[0], p[1]);
    // All elements around a pole agree on its longitude, and thus on east and north.
    const bool is_pole = to_axis < 1e-12;
    point.longitude = is_pole ? 0.0 : std::atan2(p[1], p[0]);
    point.latitude = std::atan2(p[2], to_axis);
    const double cosine = is_pole ? 1.0 : p[0] / to_axis;
    const double sine = is_pole ? 0.0 : p[1] / to_axis;
    const Vector east = {-sine, cosine, 0.0};
    const Vector north = {-p[2] * cosine, -p[2] * sine, to_axis};
    const Matrix2 d = {dot(east, along_x), dot(east, along_y), dot(north, along_x),
                       dot(north, along_y)};
    point.to_sphere = d;
    point.area = d[0] * d[3] - d[1] * d[2];
    point.from_sphere = {d[3] / point.area, -d[1] / point.area, -d[2] / point.area,
                         d[0] / point.area};
    return point;
}

CubeGeometry::Location CubeGeometry::locate(const std::array<double, 3>& position) const {
    const std::int64_t ne = mesh_->ne();
    int face = 0;
    double most = -2.0;
    for (int f = 0; f < 6; ++f) {
        const double height = dot(position, real(face_axes(f).normal));
        if (height > most) {
            most = height;
            face = f;
        }
    }
    const auto along = [&](const CubeVector& axis) {
        const double angle = std::atan(dot(position, real(axis)) / most);
        return (angle / quarter + 1.0) * double(ne) / 2;
    };
    const double column = along(face_axes(face).x);
    const double row = along(face_axes(face).y);
    const auto cell = [&](double value) {
        return std::clamp(std::int64_t(std::floor(value)), std::int64_t(0), ne - 1);
    };
    const ElementPlace place{face, cell(column), cell(row)};
    return {mesh_->element(place), 2 * (column - double(place.i)) - 1,
            2 * (row - double(place.j)) - 1};
}

}  // namespace tradewind::homme

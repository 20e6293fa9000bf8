/// Points, directions and rotations on the sphere.
#pragma once

#include <array>
#include <cmath>
#include <numbers>

namespace tradewind::semi_lagrangian {

inline constexpr double pi = std::numbers::pi;
/// The radius of the Earth in metres, as in the test cases of DCMIP 2012.
inline constexpr double radius = 6371220.0;

using Vector3 = std::array<double, 3>;

/// A position; angles are in radians, the height is in metres.
struct SpherePoint {
    double longitude = 0.0;
    double latitude = 0.0;
    double height = 0.0;
};

/// The wind in m/s.
struct Wind {
    double east = 0.0;
    double north = 0.0;
    double up = 0.0;
};

[[nodiscard]] inline double dot(const Vector3& a, const Vector3& b) noexcept {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

[[nodiscard]] inline Vector3 cross(const Vector3& a, const Vector3& b) noexcept {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// Returns the unit vector to a position.
[[nodiscard]] inline Vector3 direction_to(double longitude, double latitude) noexcept {
    const double cosine = std::cos(latitude);
    return {cosine * std::cos(longitude), cosine * std::sin(longitude), std::sin(latitude)};
}

/// Returns the position of a unit vector; longitudes are in (-pi, pi].
[[nodiscard]] inline SpherePoint place_at(const Vector3& r, double height) noexcept {
    return {std::atan2(r[1], r[0]), std::atan2(r[2], std::hypot(r[0], r[1])), height};
}

/// Returns `r` rotated by `angle` about the unit vector `axis` (Rodrigues' formula).
[[nodiscard]] inline Vector3 rotated(const Vector3& r, const Vector3& axis, double angle) noexcept {
    const double c = std::cos(angle);
    const double s = std::sin(angle);
    const double along = dot(axis, r) * (1.0 - c);
    const Vector3 across = cross(axis, r);
    return {r[0] * c + across[0] * s + axis[0] * along, r[1] * c + across[1] * s + axis[1] * along,
            r[2] * c + across[2] * s + axis[2] * along};
}

/// Returns the great-circle angle between two unit vectors, accurate also for small angles.
[[nodiscard]] inline double angle_between(const Vector3& a, const Vector3& b) noexcept {
    const Vector3 normal = cross(a, b);
    return std::atan2(std::sqrt(dot(normal, normal)), dot(a, b));
}

}  // namespace tradewind::semi_lagrangian

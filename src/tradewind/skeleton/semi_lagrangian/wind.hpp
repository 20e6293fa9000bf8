/// PlaneWind: an analytic wind on a doubly periodic plane, and the displacement of air in a step.
///
/// X and Y run from 0 to 1 along the sides Lx and Ly, eta from 0 at the top to 1 at the ground. Two
/// jets at a quarter and three quarters of Y meander with `waves` waves whose phase depends on
/// height. With S = sin^2(2 pi Y) and T = 2 pi waves X + (1 - eta) pi / 2:
///
///     u = J (jet S - wave Lx / (waves Ly) sin(4 pi Y) cos T)        J = cos^(3/2)((eta - 0.252) pi / 2)
///     v = - J wave S sin T
///
/// This is the flow of a stream function on every level, so it has no divergence. With Y = 0..1
/// from pole to pole the profile of the jets is that of jablonowski2006.
#pragma once

#include "tradewind/skeleton/box.hpp"

namespace tradewind::skeleton {

/// A vector along x and y.
struct Vector2 {
    double x = 0.0;
    double y = 0.0;
};

struct PlaneWind {
    /// Speeds in m/s in the middle of a jet at eta = 0.252, and of the waves across it.
    double jet = 60.0;
    double wave = 30.0;
    std::int64_t waves = 6;
};

/// A periodic plane of equally spaced points, and a time step.
struct Plane {
    Extents grid{};
    double spacing_m = 1390.0;
    double time_step_s = 30.0;
};

/// Returns the wind in m/s at a position in grid points, 0 <= eta <= 1.
[[nodiscard]] Vector2 wind_at(const PlaneWind& wind, const Plane& plane, Vector2 at,
                              double eta) noexcept;

/// Returns the displacement from departure to arrival in grid points, positive up the axis. It is
/// computed by the midpoint rule, iterated four times from the arrival; the wind is steady.
[[nodiscard]] Vector2 displacement(const PlaneWind& wind, const Plane& plane, Vector2 arrival,
                                   double eta) noexcept;

/// Returns the distance in points over which a displacement along x or y may be interpolated: a
/// 64th of the wavelength.
[[nodiscard]] std::int64_t smooth_distance(const PlaneWind& wind, const Plane& plane) noexcept;

}  // namespace tradewind::skeleton

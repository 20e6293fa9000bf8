/// The air flow over waves: friction velocity, roughness, and the stress that waves take up.
///
///     U(z) = (u* / kappa) ln(z / z0)      z0 = alpha u*^2 / (g sqrt(1 - tau_w / u*^2))
///
/// Waves that take up stress tau_w make the sea rougher. Where nu is the viscosity of air,
/// 0.11 nu / u* is added to z0 in the profile, so that weak winds have one, too.
/// Source: janssen1991; the constants are those of WAM cycle 6.
#pragma once

namespace tradewind::fvwam {

inline constexpr double von_karman = 0.4;
/// The number of Charnock of a sea without waves.
inline constexpr double smallest_charnock = 0.006;
/// beta_max and z_alpha of the growth of waves.
inline constexpr double growth_factor = 1.2;
inline constexpr double growth_shift = 0.008;

struct AirFlow {
    double friction_velocity;  // m/s
    double roughness;          // m
};

/// Returns the air flow of a wind speed in m/s at 10 m over waves that take up a stress in m2/s2,
/// per density of air.
[[nodiscard]] AirFlow air_flow(double speed, double wave_stress);

/// Returns the friction velocity in m/s by the drag law of WAM cycle 3.
/// Source: wamdi1988.
[[nodiscard]] double simple_friction_velocity(double speed);

/// The drag coefficient u*^2 / U^2 that observed winds over the sea do not exceed: it grows with
/// the wind up to about 33 m/s, and no further. Source: powell2003.
inline constexpr double observed_largest_drag = 0.0025;
/// Returns the air flow of a wind speed in m/s with a drag coefficient of at most `largest_drag`,
/// and the roughness of the profile that belongs to it.
[[nodiscard]] AirFlow with_limited_drag(const AirFlow& air, double speed, double largest_drag);

/// Returns the part of the stress that waves above an angular frequency in rad/s take up, for a
/// spectrum with a tail f^-5 of unit level, in units of u*^2:
///
///     (beta_max / kappa^2) integral of mu ln^4 mu d(ln omega)
///
/// The integral goes to omega = sqrt(g / z0), by the rule of Simpson.
[[nodiscard]] double high_frequency_stress(const AirFlow& air, double angular);

}  // namespace tradewind::fvwam

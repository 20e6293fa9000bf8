/// Physical constants, those of HOMME's stand-alone dynamical core.
#pragma once

namespace tradewind::homme {

inline constexpr double earth_radius = 6.376e6;     // m
inline constexpr double earth_rotation = 7.292e-5;  // 1/s
inline constexpr double gravity = 9.80616;          // m/s2
inline constexpr double gas_constant = 287.04;      // J/(kg K)
inline constexpr double heat_capacity = 1005.0;     // J/(kg K)
inline constexpr double kappa = gas_constant / heat_capacity;

}  // namespace tradewind::homme

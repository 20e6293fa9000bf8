/// How the plans of the semi-Lagrangian halo and of whole time steps are read from settings.
#pragma once

#include <string_view>

#include "tradewind/base/settings.hpp"
#include "tradewind/skeleton/time_step/time_step.hpp"

namespace tradewind::skeleton {

inline constexpr std::string_view semi_lagrangian_halo_keys[] = {
    "grid",      "processes", "element_size", "fields",  "trajectory_fields", "exchange",
    "time_step", "spacing_m", "max_wind_m_s", "jet_m_s", "wave_m_s",          "repeat"};
inline constexpr std::string_view spectral_step_keys[] = {
    "grid",     "processes",   "element_size", "fields",       "trajectory_fields",
    "exchange", "time_step",   "spacing_m",    "max_wind_m_s", "jet_m_s",
    "wave_m_s", "point_flops", "point_memory", "transforms",   "algorithm",
    "radix",    "window",      "protocol",     "tuning",       "repeat"};
inline constexpr std::string_view grid_point_step_keys[] = {
    "grid",     "processes",   "element_size", "fields",       "trajectory_fields",
    "exchange", "time_step",   "spacing_m",    "max_wind_m_s", "jet_m_s",
    "wave_m_s", "point_flops", "point_memory", "iterations",   "restart",
    "method",   "slices",      "algorithm",    "radix",        "window",
    "protocol", "tuning",      "repeat"};

/// Settings of all three:
///
///     grid, processes, element_size, repeat      as other programs
///     fields                   that are advected (5)
///     trajectory_fields        winds that trajectories need over the whole halo (3)
///     exchange                 "wide" or "on_demand"
///     time_step                in ps (30 s)
///     spacing_m                of the grid points (1390 m: 0.0125 degrees at the equator)
///     max_wind_m_s             that the halo allows for (200)
///     jet_m_s, wave_m_s        the wind (60, 30); see wind.hpp
/// and of the steps:
///
///     point_flops, point_memory      per grid point: physics and advection (5000 and 5000 bytes)
///     transforms               fields that go to spectral space and back (5)
///     iterations, restart      N (25) and k (3) of GCR(k)
///     method, slices           "gcr" or "pipelined_gcr"; 4
/// Throw ConfigError with what was given and what is allowed.
[[nodiscard]] OnDemandHalo read_semi_lagrangian_halo(const Settings& settings, Rank ranks);
[[nodiscard]] SpectralStep read_spectral_step(const Settings& settings, Rank ranks);
[[nodiscard]] GridPointStep read_grid_point_step(const Settings& settings, Rank ranks);

}  // namespace tradewind::skeleton

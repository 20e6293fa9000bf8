/// The stress that waves take from the wind.
///
///     tau_w = (rho_water g / rho_air) | integral of gamma F (k / omega) (sin, cos) df dtheta |
///             + the part of the tail f^-5 above the cut-off
///
/// Source: janssen1991.
#pragma once

#include "tradewind/models/fvwam/sources/wind_input.hpp"

namespace tradewind::fvwam {

/// Returns the wave stress in m2/s2, per density of air and less than u*^2. `cut_off` is the number
/// of the last frequency that is predicted,.
template <class Real>
[[nodiscard]] double wave_stress(const SpectralGrid& spectrum, const WindInput<Real>& input,
                                 const Rows<Real>& waves, const WaterColumn<Real>& water,
                                 const AirFlow& air, std::int64_t cut_off);

}  // namespace tradewind::fvwam

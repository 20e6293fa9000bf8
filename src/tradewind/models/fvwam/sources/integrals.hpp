/// The heights, periods and directions that a user reads from a spectrum.
#pragma once

#include "tradewind/models/fvwam/spectrum.hpp"

namespace tradewind::fvwam {

/// The state of the sea; all zero where there are no waves.
struct SeaState {
    /// 4 sqrt(E) in m, with the energy of the tail f^-5.
    double significant_height;
    /// Tm-10, the integral of F/f over E, and Tm02, sqrt(E over the integral of F f^2), in s.
    double mean_period;
    double zero_crossing_period;
    /// The period in s of the peak, by a parabola through the highest frequency and its neighbours.
    double peak_period;
    /// The direction in which the waves travel, in rad from 0 to 2 pi, clockwise from north, and
    /// the spread sqrt(2 (1 - r)) in rad, where r is the length of the mean unit vector.
    double mean_direction;
    double spread;
};

template <class Real>
[[nodiscard]] SeaState sea_state(const SpectralGrid& spectrum, const Real* values);

}  // namespace tradewind::fvwam

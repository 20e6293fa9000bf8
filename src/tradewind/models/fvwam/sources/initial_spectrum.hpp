/// The spectrum of a young wind sea (JONSWAP), from which a model starts.
///
///     F(f, theta) = alpha g^2 (2 pi)^-4 f^-5 exp(-1.25 (f_p/f)^4) 3^r (2/pi) max(0, cos)^2
///     r = exp(-(f/f_p - 1)^2 / (2 s^2))        s = 0.07 below f_p, 0.09 above
///     f_p = (g/U) max(0.13, 2.84 X^-0.3)       X = g fetch / U^2
///     alpha = max(0.0081, 0.033 (f_p U/g)^(2/3))
///
/// Source: hasselmann1973; the constants are those of WAM's cold start.
#pragma once

#include "tradewind/models/fvwam/sources/physics.hpp"
#include "tradewind/models/fvwam/spectrum.hpp"

namespace tradewind::fvwam {

inline constexpr double default_fetch = 30000.0;  // m

/// A peak frequency in Hz, and the level alpha.
struct JonswapShape {
    double peak;
    double level;
};

/// Returns the spectrum of a wind speed in m/s and fetch in m. The peak is at most at `highest` Hz.
[[nodiscard]] JonswapShape jonswap_shape(double speed, double fetch, double highest);
/// Returns the spectrum in m2 s at a frequency in Hz.
[[nodiscard]] double jonswap(const JonswapShape& shape, double frequency);

/// Sets a spectrum, value[m * directions + k] in m2 s/rad; it is zero without wind.
template <class Real>
void set_jonswap(const SpectralGrid& spectrum, const Wind& wind, double fetch, Real* values);

}  // namespace tradewind::fvwam

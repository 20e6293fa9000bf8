/// Whitecapping: the energy that breaking crests lose in deep water, S = -c F.
///
/// WAM cycle 4, with the mean values of weights f and sqrt(k), and delta = 0.5:
///
///     c = 1.33 * 2 pi f_mean E^2 k_mean^4 ((1 - delta) k/k_mean + delta (k/k_mean)^2)
///
/// WAM cycle 3, with the mean values of weights 1/f and 1/sqrt(k):
///
///     c = 2.36e-5 * 2 pi f_mean (k/k_mean)(E k_mean^2 / 3.02e-3)^2
///
/// Sources: komen1994 and wamdi1988.
#pragma once

#include "tradewind/models/fvwam/sources/moments.hpp"
#include "tradewind/models/fvwam/sources/physics.hpp"

namespace tradewind::fvwam {

/// Computes the coefficient c in 1/s of each frequency.
template <class Real>
void whitecapping(Physics physics, const Means& means, const WaterColumn<Real>& water,
                  std::vector<Real>& coefficients);

}  // namespace tradewind::fvwam

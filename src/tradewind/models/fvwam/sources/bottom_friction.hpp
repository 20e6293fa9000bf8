/// Bottom friction: S = -c F with c = 2 (0.038 m2/s3) / g * k / sinh(2 k d).
///
/// Source: hasselmann1973 (JONSWAP).
#pragma once

#include "tradewind/models/fvwam/dispersion.hpp"

namespace tradewind::fvwam {

/// Returns the coefficient c in 1/s of a frequency.
template <class Real>
[[nodiscard]] double bottom_friction(const WaterColumn<Real>& water, std::int64_t m) {
    return 2 * 0.038 / gravity * double(water.bottom[m]);
}

}  // namespace tradewind::fvwam

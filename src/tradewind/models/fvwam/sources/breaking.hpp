/// Breaking of waves that are high for the depth: S = -c F with c = 2 alpha f_mean Q / b, alpha
/// = 1.
///
///     b = (H_rms / H_max)^2 = 8 E / (0.8 d)^2        (1 - Q) / ln Q = -b
///
/// Q is the fraction of waves that break.
/// Source: battjes1978.
#pragma once

namespace tradewind::fvwam {

/// The largest ratio of height to depth.
inline constexpr double breaker_index = 0.8;

/// Returns Q, which is 1 for b >= 1 and 0 for b = 0.
///
/// Newton's method for Q = exp((Q - 1) / b) starts at 0. The function is concave, so that the
/// values rise to the smaller of its two zeros and never pass it.
[[nodiscard]] double breaking_fraction(double b);

/// Returns the coefficient c in 1/s for a variance in m2, a mean frequency in Hz and a depth in m.
[[nodiscard]] double breaking(double energy, double frequency, double depth);

/// Returns the largest variance in m2 that waves can have: a significant height of 0.8 depths.
[[nodiscard]] double largest_energy(double depth);

}  // namespace tradewind::fvwam

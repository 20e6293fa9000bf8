/// The order of cells along a space-filling curve, by which neighbours mostly get the same rank.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tradewind::fvwam {

/// Returns the cells in the order of a Hilbert curve through the cube around the sphere.
/// Source: Skilling, Programming the Hilbert curve, AIP Conf. Proc. 707, 381 (2004).
[[nodiscard]] std::vector<std::int32_t> hilbert_order(std::span<const double> longitude,
                                                      std::span<const double> latitude);

}  // namespace tradewind::fvwam

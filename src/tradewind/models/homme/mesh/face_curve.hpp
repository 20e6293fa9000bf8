/// A curve through all cells of a square, from which the parts of the mesh are cut.
#pragma once

#include <cstdint>
#include <vector>

namespace tradewind::homme {

/// Returns the cells of an n x n square, as row * n + column, in the order of a generalised Hilbert
/// curve: from the first cell of the lowest row to its last cell, each cell beside the one before.
/// For odd n > 1 one step may be diagonal.
[[nodiscard]] std::vector<std::int32_t> face_curve(std::int64_t n);

}  // namespace tradewind::homme

/// Sums along the columns of an element, for four levels of four points at a time.
///
/// A block has four levels of all points, a vector of four levels for each point. Sums along a
/// column need the levels one after the other, so that tiles of four points are transposed:
///
///     point 0: k0 k1 k2 k3        level k0: p0 p1 p2 p3
///     point 1: k0 k1 k2 k3   ->   level k1: p0 p1 p2 p3
///     ...                         ...
#pragma once

#include <algorithm>

#include "tradewind/models/spectral/lanes.hpp"

namespace tradewind::homme {

using spectral::Lanes;

static_assert(spectral::lane_width == 4, "transpose() is written for vectors of four numbers");

/// Transposes four vectors of four numbers. `to` may be `from`.
TRADEWIND_INLINE void transpose(const Lanes* from, Lanes* to) {
    const Lanes low_01 = __builtin_shufflevector(from[0], from[1], 0, 4, 2, 6);
    const Lanes high_01 = __builtin_shufflevector(from[0], from[1], 1, 5, 3, 7);
    const Lanes low_23 = __builtin_shufflevector(from[2], from[3], 0, 4, 2, 6);
    const Lanes high_23 = __builtin_shufflevector(from[2], from[3], 1, 5, 3, 7);
    to[0] = __builtin_shufflevector(low_01, low_23, 0, 1, 4, 5);
    to[1] = __builtin_shufflevector(high_01, high_23, 0, 1, 4, 5);
    to[2] = __builtin_shufflevector(low_01, low_23, 2, 3, 6, 7);
    to[3] = __builtin_shufflevector(high_01, high_23, 2, 3, 6, 7);
}

/// The sums so far in the columns of `points` points, which are a multiple of four.
template <int points>
struct ColumnSums {
    static constexpr int tiles = points / spectral::lane_width;
    static_assert(points % spectral::lane_width == 0);

    TRADEWIND_INLINE explicit ColumnSums(double start) {
        for (Lanes& sum : sums) sum = Lanes{} + start;
    }
    TRADEWIND_INLINE explicit ColumnSums(const double* start) {
        std::copy(start, start + points, spectral::numbers(sums));
    }

    Lanes sums[tiles];
};

/// Computes the sum of the layers before each one of a block and half of itself, from the top
/// downwards. `middles` may be `layers`.
template <int points>
TRADEWIND_INLINE void sum_downwards(const Lanes* layers, ColumnSums<points>& column,
                                    Lanes* middles) {
    for (int tile = 0; tile < ColumnSums<points>::tiles; ++tile) {
        Lanes rows[spectral::lane_width];
        transpose(layers + tile * spectral::lane_width, rows);
        Lanes sum = column.sums[tile];
#pragma GCC unroll 4
        for (int k = 0; k < spectral::lane_width; ++k) {
            const Lanes layer = rows[k];
            rows[k] = sum + 0.5 * layer;
            sum += layer;
        }
        column.sums[tile] = sum;
        transpose(rows, middles + tile * spectral::lane_width);
    }
}

/// The same from the ground upwards; layers of the block from `count` on are padding and count as
/// empty.
template <int points>
TRADEWIND_INLINE void sum_upwards(const Lanes* layers, std::int64_t count,
                                  ColumnSums<points>& column, Lanes* middles) {
    for (int tile = 0; tile < ColumnSums<points>::tiles; ++tile) {
        Lanes rows[spectral::lane_width];
        transpose(layers + tile * spectral::lane_width, rows);
        Lanes sum = column.sums[tile];
#pragma GCC unroll 4
        for (int k = spectral::lane_width - 1; k >= 0; --k) {
            const Lanes layer = k < count ? rows[k] : Lanes{};
            rows[k] = sum + 0.5 * layer;
            sum += layer;
        }
        column.sums[tile] = sum;
        transpose(rows, middles + tile * spectral::lane_width);
    }
}

/// Copies the last level of each point to the padding of the last block.
TRADEWIND_INLINE void fill_padding(Lanes* block, int points, std::int64_t count) {
    double* const values = spectral::numbers(block);
    for (int p = 0; p < points; ++p) {
        double* const levels = values + p * spectral::lane_width;
        for (std::int64_t k = count; k < spectral::lane_width; ++k) levels[k] = levels[count - 1];
    }
}

}  // namespace tradewind::homme

/// The two matrix products of the Legendre transforms, by tiles that stay in registers.
#include <algorithm>

#include "tradewind/models/spectral/legendre.hpp"

#include "tradewind/base/interrupts.hpp"

namespace tradewind::spectral {

namespace {

/// A matrix in memory; element (row, column) lies at data[row * step + column].
template <class T>
struct Matrix {
    T* data;
    std::int64_t step;
};

/// Sums sum[r][c] over k of a(k, r) b(k, c): R x C of them in registers, k ascending.
template <int R, int C>
struct Tile {
    Lanes sum[R][C];

    /// Adds the products. Element (k, r) of a lies at a[k * a_k + r * a_r].
    TRADEWIND_INLINE void multiply(const double* a, std::int64_t a_k, std::int64_t a_r,
                                   Matrix<const Lanes> b, std::int64_t count) {
        for (int r = 0; r < R; ++r)
            for (int c = 0; c < C; ++c) sum[r][c] = Lanes{};
        for (std::int64_t k = 0; k < count; ++k) {
            const double* const factor = a + k * a_k;
            const Lanes* const row = b.data + k * b.step;
            for (int r = 0; r < R; ++r)
                for (int c = 0; c < C; ++c) sum[r][c] += factor[r * a_r] * row[c];
        }
    }
};

/// The data of one wavenumber that both kernels use.
struct Wave {
    const double* even;
    const double* odd;
    std::int64_t even_rows;
    std::int64_t odd_rows;
    std::int64_t pairs;
    std::int64_t columns;
};

template <int R, int C>
TRADEWIND_INLINE void inverse_tile(const Wave& wave, const Lanes* spectrum, Lanes* fourier,
                                   std::int64_t pair, std::int64_t column) {
    const std::int64_t step = 2 * wave.columns;
    Tile<R, C> even;
    Tile<R, C> odd;
    even.multiply(wave.even + pair, wave.pairs, 1, {spectrum + column, step}, wave.even_rows);
    odd.multiply(wave.odd + pair, wave.pairs, 1, {spectrum + wave.columns + column, step},
                 wave.odd_rows);
    for (int r = 0; r < R; ++r) {
        Lanes* const north = fourier + (pair + r) * step + column;
        for (int c = 0; c < C; ++c) {
            north[c] = even.sum[r][c] + odd.sum[r][c];
            north[wave.columns + c] = even.sum[r][c] - odd.sum[r][c];
        }
    }
}

/// Computes a tile of the forward transform. `folded` holds the weighted sums (parity 0) or
/// differences (1) of north and south.
template <int R, int C>
TRADEWIND_INLINE void forward_tile(const Wave& wave, int parity, const Lanes* folded,
                                   Lanes* spectrum, std::int64_t row, std::int64_t column) {
    Tile<R, C> tile;
    const double* const table = parity == 0 ? wave.even : wave.odd;
    tile.multiply(table + row * wave.pairs, 1, wave.pairs, {folded + column, wave.columns},
                  wave.pairs);
    for (int r = 0; r < R; ++r) {
        Lanes* const out = spectrum + (2 * (row + r) + parity) * wave.columns + column;
        for (int c = 0; c < C; ++c) out[c] = tile.sum[r][c];
    }
}

/// Calls visit.template operator()<R, C>(row, column) for tiles of at most 4 x 2 that cover the
/// matrix.
template <class Visit>
TRADEWIND_INLINE void for_each_tile(std::int64_t rows, std::int64_t columns, const Visit& visit) {
    std::int64_t column = 0;
    for (; column + 2 <= columns; column += 2) {
        std::int64_t row = 0;
        for (; row + 4 <= rows; row += 4) visit.template operator()<4, 2>(row, column);
        for (; row < rows; ++row) visit.template operator()<1, 2>(row, column);
    }
    if (column == columns) return;
    std::int64_t row = 0;
    for (; row + 4 <= rows; row += 4) visit.template operator()<4, 1>(row, column);
    for (; row < rows; ++row) visit.template operator()<1, 1>(row, column);
}

TRADEWIND_CLONES
void inverse_wave(const Wave& wave, const Lanes* spectrum, Lanes* fourier) {
    for_each_tile(wave.pairs, wave.columns,
                  [&]<int R, int C>(std::int64_t pair, std::int64_t column)
                      __attribute__((always_inline)) {
                          inverse_tile<R, C>(wave, spectrum, fourier, pair, column);
                      });
}

TRADEWIND_CLONES
void fold(const Wave& wave, const double* weight, const Lanes* fourier, Lanes* even, Lanes* odd) {
    for (std::int64_t pair = 0; pair < wave.pairs; ++pair) {
        const Lanes* const north = fourier + 2 * pair * wave.columns;
        const Lanes* const south = north + wave.columns;
        for (std::int64_t c = 0; c < wave.columns; ++c) {
            even[pair * wave.columns + c] = weight[pair] * (north[c] + south[c]);
            odd[pair * wave.columns + c] = weight[pair] * (north[c] - south[c]);
        }
    }
}

TRADEWIND_CLONES
void forward_wave(const Wave& wave, int parity, const Lanes* folded, Lanes* spectrum) {
    for_each_tile(parity == 0 ? wave.even_rows : wave.odd_rows, wave.columns,
                  [&]<int R, int C>(std::int64_t row, std::int64_t column)
                      __attribute__((always_inline)) {
                          forward_tile<R, C>(wave, parity, folded, spectrum, row, column);
                      });
}

}  // namespace

void LegendreTransform::inverse(const Lanes* spectrum, Lanes* fourier, std::int64_t columns) const {
    for (std::size_t i = 0; i < waves_.size(); ++i) {
        check_interrupts(degrees(i) * pairs_ * columns);
        const Wave wave{table(i, 0), table(i, 1), rows(i, 0), rows(i, 1), pairs_, columns};
        inverse_wave(wave, spectrum + first_row(i) * columns,
                     fourier + std::int64_t(i) * 2 * pairs_ * columns);
    }
}

void LegendreTransform::forward(const Lanes* fourier, Lanes* spectrum, std::int64_t columns) const {
    LaneVector folded(2 * pairs_ * columns);
    Lanes* const even = folded.data();
    Lanes* const odd = even + pairs_ * columns;
    for (std::size_t i = 0; i < waves_.size(); ++i) {
        check_interrupts(degrees(i) * pairs_ * columns);
        const Wave wave{table(i, 0), table(i, 1), rows(i, 0), rows(i, 1), pairs_, columns};
        fold(wave, weight_.data(), fourier + std::int64_t(i) * 2 * pairs_ * columns, even, odd);
        forward_wave(wave, 0, even, spectrum + first_row(i) * columns);
        forward_wave(wave, 1, odd, spectrum + first_row(i) * columns);
    }
}

}  // namespace tradewind::spectral

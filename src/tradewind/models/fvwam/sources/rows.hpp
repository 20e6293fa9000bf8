/// Rows: spectra in work memory, one row of directions for each frequency.
///
///     ... last directions | directions 0, 1, 2, ... | padding or first directions ...
///         halo              vectors                   halo
///
/// A row has a halo at both ends, because directions are a circle: it repeats the directions of the
/// other end, so that a kernel finds neighbours at a constant distance. Rows are whole vectors.
#pragma once

#include "tradewind/base/large_memory.hpp"
#include "tradewind/models/fvwam/sources/vectors.hpp"
#include "tradewind/models/fvwam/spectrum.hpp"

namespace tradewind::fvwam {

/// Returns a number of directions, rounded up to whole vectors.
template <class Real>
[[nodiscard]] constexpr std::int64_t whole_vectors(std::int64_t count) noexcept {
    return (count + lanes<Real> - 1) / lanes<Real> * lanes<Real>;
}

/// The shape of rows, in numbers.
struct RowShape {
    std::int64_t directions;
    std::int64_t frequencies;
    /// Directions repeated at each end.
    std::int64_t halo;
    /// Vectors that hold all directions; the last one may reach into the halo.
    std::int64_t vectors;
    /// The distance between rows.
    std::int64_t stride;
};

/// Returns the shape of rows whose halo holds `reach` directions.
template <class Real>
[[nodiscard]] RowShape row_shape(const SpectralGrid& spectrum, std::int64_t reach) {
    const std::int64_t halo = whole_vectors<Real>(reach);
    const std::int64_t width = whole_vectors<Real>(spectrum.directions());
    return {spectrum.directions(), spectrum.frequencies(), halo, width / lanes<Real>,
            width + 2 * halo};
}

/// Some rows, zero at first.
template <class Real>
class Rows {
public:
    Rows(const RowShape& shape, std::int64_t count)
        : shape_(shape), values_(std::size_t(shape.stride * count)) {}

    [[nodiscard]] const RowShape& shape() const noexcept { return shape_; }
    /// Returns direction 0 of a row.
    [[nodiscard]] TRADEWIND_INLINE Real* operator[](std::int64_t m) noexcept {
        return &values_[std::size_t(m * shape_.stride + shape_.halo)];
    }
    [[nodiscard]] TRADEWIND_INLINE const Real* operator[](std::int64_t m) const noexcept {
        return &values_[std::size_t(m * shape_.stride + shape_.halo)];
    }

private:
    RowShape shape_;
    ZeroedArray<Real> values_;
};

/// Repeats the directions of each end beyond the other.
template <class Real>
TRADEWIND_INLINE void fill_halo(const RowShape& shape, Real* row) {
    for (std::int64_t k = 0; k < shape.halo; k += lanes<Real>) {
        at(row + shape.directions + k) = at(row + k);
        at(row - shape.halo + k) = at(row + shape.directions - shape.halo + k);
    }
}

}  // namespace tradewind::fvwam

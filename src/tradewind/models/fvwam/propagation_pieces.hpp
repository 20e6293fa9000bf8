/// Vectors of directions and the work memory of a cell, for the kernels of propagation.
#pragma once

#include <algorithm>

#include "tradewind/models/fvwam/propagation_kernels.hpp"
#include "tradewind/models/fvwam/sources/vectors.hpp"

namespace tradewind::fvwam {

/// The directions that are computed at a time: a vector, or one if there are fewer than in a
/// vector.
template <class Real, bool is_vector>
struct DirectionBlock {
    using Values = Vector<Real>;
    using Place = Unaligned<Real>;
    static constexpr std::int64_t width = lanes<Real>;
};
template <class Real>
struct DirectionBlock<Real, false> {
    using Values = Real;
    using Place = Real;
    static constexpr std::int64_t width = 1;
};

/// Returns the piece that starts at a number.
template <class P, class Real>
TRADEWIND_INLINE typename P::Place& piece(Real* first) {
    return *reinterpret_cast<typename P::Place*>(first);
}
template <class P, class Real>
TRADEWIND_INLINE const typename P::Place& piece(const Real* first) {
    return *reinterpret_cast<const typename P::Place*>(first);
}

/// Calls `work` with the first direction of each piece. The last one may overlap the one before.
template <class P, class Work>
TRADEWIND_INLINE void for_pieces(std::int64_t directions, const Work& work) {
    std::int64_t k = 0;
    for (; k + P::width <= directions; k += P::width) work(k);
    if (k < directions) work(directions - P::width);
}

/// A cell with its coefficients and work memory.
template <class Real>
struct CellKernel {
    TRADEWIND_INLINE CellKernel(const PropagationCell<Real>& work_cell, std::int64_t count)
        : cell(work_cell),
          directions(count),
          stride(row_stride(count)),
          rate(cell.work),
          inflow(rate + cell.side_count * count),
          outflow(inflow + cell.side_count * count),
          leaving(outflow + count),
          from_ahead(leaving + count),
          from_behind(from_ahead + count),
          slope(from_behind + count + row_halo),
          circle(slope + stride),
          rows(circle + stride),
          other_rows(rows + frequencies_at_once<Real> * stride),
          flux_rows(other_rows + frequencies_at_once<Real> * stride) {}

    const PropagationCell<Real>& cell;
    std::int64_t directions;
    std::int64_t stride;
    /// The share of the cell that flows out (> 0) or in through each side at 1 m/s, by direction.
    Real* rate;
    Real* inflow;
    /// The sum of what flows out.
    Real* outflow;
    /// The shares that turn to other sectors by the great circle, and that come from the next and
    /// the previous one.
    Real* leaving;
    Real* from_ahead;
    Real* from_behind;
    /// The turning by slopes and by the great circle at the end of each sector, with that of the
    /// last one before the first.
    Real* slope;
    Real* circle;
    /// Values of some frequencies with row_halo more directions at each end, and fluxes between
    /// these.
    Real* rows;
    Real* other_rows;
    Real* flux_rows;
};

template <class Real>
TRADEWIND_INLINE Real positive(Real value) {
    return value > 0 ? value : Real(0);
}
template <class Real>
TRADEWIND_INLINE Real negative(Real value) {
    return value < 0 ? value : Real(0);
}

template <class Real>
TRADEWIND_INLINE void set_directions(const CellKernel<Real>& kernel) {
    const PropagationCell<Real>& cell = kernel.cell;
    const std::int64_t directions = kernel.directions;
    const Real* const sine = cell.circle;
    const Real* const cosine = sine + directions;
    const Real* const end_sine = cosine + directions;
    const Real* const end_cosine = end_sine + directions;
    Real* const __restrict outflow = kernel.outflow;
    for (std::int64_t k = 0; k < directions; ++k) outflow[k] = 0;
    for (std::int64_t e = 0; e < cell.side_count; ++e) {
        const Real east = cell.sides[e].east;
        const Real north = cell.sides[e].north;
        Real* const __restrict rate = kernel.rate + e * directions;
        for (std::int64_t k = 0; k < directions; ++k) {
            const Real through = sine[k] * east + cosine[k] * north;
            rate[k] = through;
            outflow[k] += positive(through);
        }
    }
    for (std::int64_t k = 0; k < directions; ++k) {
        kernel.slope[k] = end_sine[k] * cell.slope_north - end_cosine[k] * cell.slope_east;
        kernel.circle[k] = end_sine[k] * cell.great_circle;
    }
    kernel.slope[-1] = kernel.slope[directions - 1];
    kernel.circle[-1] = kernel.circle[directions - 1];
}

/// Frequencies from `first` up to `last`, and where their values go.
template <class Real>
struct Target {
    std::int64_t first;
    std::int64_t last;
    Real* values;
    std::int64_t stride;
};

/// Repeats the directions of each end beyond the other.
template <class Real>
TRADEWIND_INLINE void close_circle(const CellKernel<Real>& kernel, std::int64_t count, Real* rows) {
    const std::int64_t directions = kernel.directions;
    for (std::int64_t m = 0; m < count; ++m) {
        Real* const row = rows + m * kernel.stride + row_halo;
        row[-2] = row[(2 * directions - 2) % directions];
        row[-1] = row[directions - 1];
        row[directions] = row[0];
        row[directions + 1] = row[1 % directions];
    }
}

}  // namespace tradewind::fvwam

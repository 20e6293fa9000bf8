#include "tradewind/models/fvwam/propagation_kernels.hpp"

#include <algorithm>
#include <utility>

#include "tradewind/base/fetch_ahead.hpp"
#include "tradewind/models/fvwam/propagation_pieces.hpp"
#include "tradewind/models/fvwam/propagation_schemes.hpp"

namespace tradewind::fvwam {

namespace {

/// The number of directions that has kernels of its own; others have it at run time.
constexpr std::int64_t usual_directions = 36;

/// Turns the values of some frequencies, which are in `kernel.rows`, into the target, in parts.
template <class Scheme, class P, class Real>
TRADEWIND_INLINE void turn(const CellKernel<Real>& kernel, const Target<Real>& target) {
    Real* from = kernel.rows;
    Real* spare = kernel.other_rows;
    for (std::int64_t part = kernel.cell.turns; part > 0; --part) {
        close_circle(kernel, target.last - target.first, from);
        const Target<Real> turned{target.first, target.last, spare + row_halo, kernel.stride};
        Scheme::template turn<P>(kernel, from, part == 1 ? target : turned);
        std::swap(from, spare);
    }
}

/// Prefetches the numbers of the next cell from `first` up to `last`.
template <class Real>
TRADEWIND_INLINE void fetch_coming(const PropagationCell<Real>& cell, std::int64_t first,
                                   std::int64_t last) {
    constexpr auto line = std::int64_t(64 / sizeof(Real));
    for (std::int64_t n = first; n < last; n += line) {
        fetch_ahead(cell.coming + n);
        fetch_ahead(cell.coming_next + n);
    }
}

/// Makes the step of a cell, some frequencies at a time.
template <class Scheme, class P, class Real>
TRADEWIND_INLINE void advance(const PropagationCell<Real>& cell, std::int64_t directions) {
    const CellKernel<Real> kernel(cell, directions);
    set_directions(kernel);
    Scheme::begin(kernel);
    for (std::int64_t m = 0; m < cell.frequencies;) {
        std::int64_t last = std::min(m + frequencies_at_once<Real>, cell.frequencies);
        if (m < cell.same_velocity) last = std::min(last, cell.same_velocity);
        if (m < cell.deep) last = std::min(last, cell.deep);
        fetch_coming(cell, m * directions, last * directions);
        const Target<Real> target{m, last, cell.next + m * directions, directions};
        if (cell.turns > 0) {
            Scheme::template cross<P>(kernel,
                                      Target<Real>{m, last, kernel.rows + row_halo, kernel.stride});
            turn<Scheme, P>(kernel, target);
        } else {
            Scheme::template cross<P>(kernel, target);
        }
        m = last;
    }
}

template <class Scheme, class Real>
TRADEWIND_INLINE void select(const PropagationCell<Real>& cell) {
    if (cell.directions == usual_directions)
        return advance<Scheme, DirectionBlock<Real, true>>(cell, usual_directions);
    if (cell.directions >= lanes<Real>)
        return advance<Scheme, DirectionBlock<Real, true>>(cell, cell.directions);
    advance<Scheme, DirectionBlock<Real, false>>(cell, cell.directions);
}

}  // namespace

// Only functions that are no templates can be compiled for several processors.
TRADEWIND_CLONES void advance_upwind(const PropagationCell<float>& cell) {
    select<Upwind>(cell);
}
TRADEWIND_CLONES void advance_upwind(const PropagationCell<double>& cell) {
    select<Upwind>(cell);
}
TRADEWIND_CLONES void advance_limited(const PropagationCell<float>& cell) {
    select<Limited>(cell);
}
TRADEWIND_CLONES void advance_limited(const PropagationCell<double>& cell) {
    select<Limited>(cell);
}

}  // namespace tradewind::fvwam

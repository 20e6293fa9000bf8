/// The kernels of propagation: one cell, all directions and frequencies.
#pragma once

#include <cstdint>

namespace tradewind::fvwam {

/// A side of a cell. Cells that do not exist have spectra of zeros beyond the side, and the cell's
/// or the neighbour's own spectrum behind it, which makes the limited scheme one of first order
/// there.
template <class Real>
struct PropagationSide {
    const Real* neighbor;
    /// The cell behind this one, opposite to the side, and the cell behind the neighbour.
    const Real* behind;
    const Real* beyond;
    /// The group velocity at the side, of each frequency, in m/s.
    const Real* group_velocity;
    /// The outward normal times time step * length / area.
    Real east;
    Real north;
    /// The area over length * distance, by which an outflow becomes a Courant number.
    Real shape;
};

template <class Real>
struct PropagationCell {
    std::int64_t directions;
    std::int64_t frequencies;
    std::int64_t side_count;
    const PropagationSide<Real>* sides;
    /// The first frequency from which on the group velocity is the same at all sides, and that from
    /// which on the bottom does not turn waves.
    std::int64_t same_velocity;
    std::int64_t deep;
    /// The spectrum before and after the step.
    const Real* now;
    Real* next;
    /// Spectra that the next cell reads and writes, and that are probably in no cache.
    const Real* coming;
    const Real* coming_next;
    /// The sines and cosines of directions, then of the ends of sectors.
    const Real* circle;
    /// Group velocity and turning of each frequency.
    const Real* group_velocity;
    const Real* turning;
    /// The parts in which the directions turn, and the slopes and tan(latitude) / R, times the time
    /// of a part / sector.
    std::int64_t turns;
    Real slope_east;
    Real slope_north;
    Real great_circle;
    /// Memory of at least work_size() numbers.
    Real* work;
};

/// The frequencies that a kernel treats at a time, so that their spectra stay in the nearest cache.
/// The limited scheme keeps a vector of each in registers.
template <class Real>
inline constexpr std::int64_t frequencies_at_once = sizeof(Real) == sizeof(float) ? 5 : 3;

/// Directions that rows of work memory repeat at each end.
inline constexpr std::int64_t row_halo = 2;

/// Returns the distance of the rows of work memory.
[[nodiscard]] constexpr std::int64_t row_stride(std::int64_t directions) {
    return directions + 2 * row_halo;
}
/// Returns the numbers of work memory for cells with at most `sides` sides.
template <class Real>
[[nodiscard]] constexpr std::int64_t work_size(std::int64_t sides, std::int64_t directions) {
    return (2 * sides + 4) * directions +
           (3 + 3 * frequencies_at_once<Real>)*row_stride(directions);
}

/// Makes the step of a cell by the upwind or the limited scheme.
void advance_upwind(const PropagationCell<float>& cell);
void advance_upwind(const PropagationCell<double>& cell);
void advance_limited(const PropagationCell<float>& cell);
void advance_limited(const PropagationCell<double>& cell);

/// Operations per side and value, and per value, of the equations. Kernels make fewer.
inline constexpr double upwind_side_flops = 5.0;
inline constexpr double upwind_turning_flops = 9.0;
inline constexpr double limited_side_flops = 16.0;
inline constexpr double limited_turning_flops = 20.0;

}  // namespace tradewind::fvwam

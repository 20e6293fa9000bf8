#include "tradewind/models/fvwam/propagation_kernels.hpp"

#include <algorithm>

#include "tradewind/models/spectral/lanes.hpp"

namespace tradewind::fvwam {

namespace {

/// The number of directions that has kernels of its own; others have it at run time.
constexpr std::int64_t usual_directions = 36;

template <class Real>
TRADEWIND_INLINE Real positive(Real value) {
    return value > 0 ? value : Real(0);
}
template <class Real>
TRADEWIND_INLINE Real negative(Real value) {
    return value < 0 ? value : Real(0);
}

/// Returns the limited difference of van Leer: the harmonic mean of two of equal sign, or 0.
template <class Real>
TRADEWIND_INLINE Real limited(Real behind, Real ahead) {
    const Real product = behind * ahead;
    const Real sum = behind + ahead;
    return product > 0 ? 2 * product / sum : Real(0);
}

/// The work memory of a cell.
template <class Real>
struct KernelMemory {
    TRADEWIND_INLINE KernelMemory(const PropagationCell<Real>& cell, std::int64_t directions)
        : outflow(cell.work),
          inflow(outflow + cell.side_count * directions),
          slope(inflow + cell.side_count * directions),
          circle(slope + directions),
          row(circle + directions),
          flux(row + directions + 3) {}

    /// The share of the cell that flows out and in through each side at 1 m/s, by direction.
    Real* outflow;
    Real* inflow;
    /// The turning by slopes and by the great circle, at the end of each sector.
    Real* slope;
    Real* circle;
    /// The values of a frequency with one before the first and two behind the last direction.
    Real* row;
    /// The flux through the beginning of each sector, then that through the end of the last.
    Real* flux;
};

template <class Real>
TRADEWIND_INLINE void set_directions(const PropagationCell<Real>& cell, std::int64_t directions,
                                     const KernelMemory<Real>& work) {
    const Real* const sine = cell.circle;
    const Real* const cosine = sine + directions;
    const Real* const end_sine = cosine + directions;
    const Real* const end_cosine = end_sine + directions;
    for (std::int64_t e = 0; e < cell.side_count; ++e) {
        const Real east = cell.sides[e].east;
        const Real north = cell.sides[e].north;
        for (std::int64_t k = 0; k < directions; ++k) {
            const Real through = sine[k] * east + cosine[k] * north;
            work.outflow[e * directions + k] = positive(through);
            work.inflow[e * directions + k] = negative(through);
        }
    }
    for (std::int64_t k = 0; k < directions; ++k) {
        work.slope[k] = end_sine[k] * cell.slope_north - end_cosine[k] * cell.slope_east;
        work.circle[k] = end_sine[k] * cell.great_circle;
    }
}

/// Copies the values of a frequency, and those at the ends once more.
template <class Real>
TRADEWIND_INLINE void set_row(const Real* values, std::int64_t directions, Real* row) {
    row[0] = values[directions - 1];
    for (std::int64_t k = 0; k < directions; ++k) row[k + 1] = values[k];
    row[directions + 1] = values[0];
    row[directions + 2] = values[1 % directions];
}

/// Turns the values of a frequency by fluxes of first order.
struct UpwindTurn {
    template <class Real>
    TRADEWIND_INLINE static Real flux(Real speed, const Real* row) {
        return positive(speed) * row[0] + negative(speed) * row[1];
    }
};

/// Turns them by limited fluxes.
struct LimitedTurn {
    template <class Real>
    TRADEWIND_INLINE static Real flux(Real speed, const Real* row) {
        const Real half = Real(0.5);
        const Real ahead = row[1] - row[0];
        const Real low = row[0] + half * (1 - speed) * limited(row[0] - row[-1], ahead);
        const Real high = row[1] - half * (1 + speed) * limited(row[2] - row[1], ahead);
        return positive(speed) * low + negative(speed) * high;
    }
};

template <class Turn, class Real>
TRADEWIND_INLINE void turn(const PropagationCell<Real>& cell, std::int64_t directions,
                           std::int64_t m, const KernelMemory<Real>& work,
                           Real* __restrict values) {
    const Real turning = cell.turning[m];
    const Real velocity = cell.group_velocity[m];
    Real* const row = work.row + 1;
    Real* const flux = work.flux + 1;
    for (std::int64_t part = 0; part < cell.turns; ++part) {
        set_row(values, directions, work.row);
        for (std::int64_t k = 0; k < directions; ++k) {
            const Real speed = turning * work.slope[k] + velocity * work.circle[k];
            flux[k] = Turn::flux(speed, row + k);
        }
        work.flux[0] = flux[directions - 1];
        for (std::int64_t k = 0; k < directions; ++k) values[k] -= flux[k] - flux[k - 1];
    }
}

/// Sets `next` from `from`, which may be the same, by what flows through `sides` sides from the one
/// with number `first_side` on, in frequency `m`. The sums stay in registers.
template <std::int64_t sides, class Real>
TRADEWIND_INLINE void cross(const PropagationCell<Real>& cell, std::int64_t directions,
                            std::int64_t m, std::int64_t first_side, const KernelMemory<Real>& work,
                            const Real* from, Real* next) {
    const std::int64_t first = m * directions;
    const Real* const own = cell.now + first;
    const Real* const outflow = work.outflow + first_side * directions;
    const Real* const inflow = work.inflow + first_side * directions;
    const Real* other[sides];
    Real through[sides];
    for (std::int64_t e = 0; e < sides; ++e) {
        other[e] = cell.sides[first_side + e].neighbor + first;
        through[e] = cell.sides[first_side + e].group_velocity[m];
    }
#pragma GCC ivdep
    for (std::int64_t k = 0; k < directions; ++k) {
        Real value = from[k];
#pragma GCC unroll 8
        for (std::int64_t e = 0; e < sides; ++e) {
            value -= through[e] * (outflow[e * directions + k] * own[k] +
                                   inflow[e * directions + k] * other[e][k]);
        }
        next[k] = value;
    }
}

template <std::int64_t fixed, class Real>
TRADEWIND_INLINE void upwind(const PropagationCell<Real>& cell) {
    const std::int64_t directions = fixed > 0 ? fixed : cell.directions;
    const KernelMemory<Real> work(cell, directions);
    set_directions(cell, directions, work);
    for (std::int64_t m = 0; m < cell.frequencies; ++m) {
        Real* const next = cell.next + m * directions;
        const Real* const own = cell.now + m * directions;
        const std::int64_t at_once = cell.side_count >= 6 ? 6 : 3;
        if (at_once == 6) {
            cross<6>(cell, directions, m, 0, work, own, next);
        } else {
            cross<3>(cell, directions, m, 0, work, own, next);
        }
        for (std::int64_t side = at_once; side < cell.side_count; ++side)
            cross<1>(cell, directions, m, side, work, next, next);
        turn<UpwindTurn>(cell, directions, m, work, next);
    }
}

template <std::int64_t fixed, class Real>
TRADEWIND_INLINE void limited_scheme(const PropagationCell<Real>& cell) {
    const std::int64_t directions = fixed > 0 ? fixed : cell.directions;
    const KernelMemory<Real> work(cell, directions);
    set_directions(cell, directions, work);
    const Real half = Real(0.5);
    for (std::int64_t m = 0; m < cell.frequencies; ++m) {
        const std::int64_t first = m * directions;
        const Real* const own = cell.now + first;
        Real* const __restrict next = cell.next + first;
        for (std::int64_t k = 0; k < directions; ++k) next[k] = own[k];
        for (std::int64_t e = 0; e < cell.side_count; ++e) {
            const PropagationSide<Real>& side = cell.sides[e];
            const Real* const other = side.neighbor + first;
            const Real* const behind = side.behind + first;
            const Real* const beyond = side.beyond + first;
            const Real* const outflow = work.outflow + e * directions;
            const Real* const inflow = work.inflow + e * directions;
            const Real through = side.group_velocity[m];
            const Real courant = through * side.shape;
            for (std::int64_t k = 0; k < directions; ++k) {
                const Real rate = outflow[k] + inflow[k];
                const Real upwind = rate > 0 ? own[k] : other[k];
                const Real downwind = rate > 0 ? other[k] : own[k];
                const Real before = rate > 0 ? behind[k] : beyond[k];
                const Real number = courant * (outflow[k] - inflow[k]);
                const Real face =
                    upwind + half * (1 - number) * limited(upwind - before, downwind - upwind);
                next[k] -= through * rate * face;
            }
        }
        turn<LimitedTurn>(cell, directions, m, work, next);
    }
}

}  // namespace

// Only functions that are no templates can be compiled for several processors.
TRADEWIND_CLONES void advance_upwind(const PropagationCell<float>& cell) {
    cell.directions == usual_directions ? upwind<usual_directions>(cell) : upwind<0>(cell);
}
TRADEWIND_CLONES void advance_upwind(const PropagationCell<double>& cell) {
    cell.directions == usual_directions ? upwind<usual_directions>(cell) : upwind<0>(cell);
}
TRADEWIND_CLONES void advance_limited(const PropagationCell<float>& cell) {
    cell.directions == usual_directions ? limited_scheme<usual_directions>(cell)
                                        : limited_scheme<0>(cell);
}
TRADEWIND_CLONES void advance_limited(const PropagationCell<double>& cell) {
    cell.directions == usual_directions ? limited_scheme<usual_directions>(cell)
                                        : limited_scheme<0>(cell);
}

}  // namespace tradewind::fvwam

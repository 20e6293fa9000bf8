/// The upwind and the limited scheme for one cell, some frequencies at a time.
#pragma once

#include "tradewind/models/fvwam/propagation_pieces.hpp"

namespace tradewind::fvwam {

/// Moves waves of a frequency through all sides, `count` of them, which have the same group
/// velocity.
template <class P, std::int64_t count, class Real>
TRADEWIND_INLINE void cross_at_once(const CellKernel<Real>& kernel, std::int64_t m, Real* to) {
    using Values = typename P::Values;
    const PropagationCell<Real>& cell = kernel.cell;
    const std::int64_t directions = kernel.directions;
    const Real* const own = cell.now + m * directions;
    const Real* other[count];
    for (std::int64_t e = 0; e < count; ++e) other[e] = cell.sides[e].neighbor + m * directions;
    const Real velocity = cell.sides[0].group_velocity[m];
    for_pieces<P>(directions, [&](std::int64_t k) __attribute__((always_inline)) {
        const Values here = piece<P>(own + k);
        Values change = piece<P>(kernel.outflow + k) * here;
#pragma GCC unroll 8
        for (std::int64_t e = 0; e < count; ++e)
            change += piece<P>(kernel.inflow + e * directions + k) * piece<P>(other[e] + k);
        piece<P>(to + k) = here - velocity * change;
    });
}

/// Moves waves of a frequency through one side after the other.
template <class P, class Real>
TRADEWIND_INLINE void cross_by_sides(const CellKernel<Real>& kernel, std::int64_t m, Real* to) {
    using Values = typename P::Values;
    const PropagationCell<Real>& cell = kernel.cell;
    const std::int64_t directions = kernel.directions;
    const Real* const own = cell.now + m * directions;
    for_pieces<P>(directions, [&](std::int64_t k) __attribute__((always_inline)) {
        const Values here = piece<P>(own + k);
        Values result = here;
        for (std::int64_t e = 0; e < cell.side_count; ++e) {
            const Values rate = piece<P>(kernel.rate + e * directions + k);
            const Values there = piece<P>(cell.sides[e].neighbor + m * directions + k);
            result -= cell.sides[e].group_velocity[m] * (rate * (rate > Real(0) ? here : there));
        }
        piece<P>(to + k) = result;
    });
}

/// Turns waves of a frequency by fluxes of first order where the bottom does not turn them.
template <class P, class Real>
TRADEWIND_INLINE void turn_deep(const CellKernel<Real>& kernel, std::int64_t m, const Real* row,
                                Real* to) {
    using Values = typename P::Values;
    const Real velocity = kernel.cell.group_velocity[m];
    for_pieces<P>(kernel.directions, [&](std::int64_t k) __attribute__((always_inline)) {
        const Values here = piece<P>(row + k);
        const Values change = piece<P>(kernel.leaving + k) * here +
                              piece<P>(kernel.from_ahead + k) * piece<P>(row + k + 1) -
                              piece<P>(kernel.from_behind + k) * piece<P>(row + k - 1);
        piece<P>(to + k) = here - velocity * change;
    });
}

/// Turns waves of a frequency by fluxes of first order.
template <class P, class Real>
TRADEWIND_INLINE void turn_all(const CellKernel<Real>& kernel, std::int64_t m, const Real* row,
                               Real* to) {
    using Values = typename P::Values;
    const Real turning = kernel.cell.turning[m];
    const Real velocity = kernel.cell.group_velocity[m];
    for_pieces<P>(kernel.directions, [&](std::int64_t k) __attribute__((always_inline)) {
        const Values here = piece<P>(row + k);
        const Values speed =
            turning * piece<P>(kernel.slope + k) + velocity * piece<P>(kernel.circle + k);
        const Values before =
            turning * piece<P>(kernel.slope + k - 1) + velocity * piece<P>(kernel.circle + k - 1);
        const Values ahead = piece<P>(row + k + 1);
        const Values behind = piece<P>(row + k - 1);
        const Values out = speed * (speed > Real(0) ? here : ahead);
        const Values in = before * (before > Real(0) ? behind : here);
        piece<P>(to + k) = here - (out - in);
    });
}

/// The upwind scheme.
struct Upwind {
    template <class Real>
    TRADEWIND_INLINE static void begin(const CellKernel<Real>& kernel) {
        const std::int64_t directions = kernel.directions;
        const Real* __restrict rate = kernel.rate;
        Real* __restrict inflow = kernel.inflow;
        for (std::int64_t k = 0; k < kernel.cell.side_count * directions; ++k)
            inflow[k] = negative(rate[k]);
        for (std::int64_t k = 0; k < directions; ++k) {
            const Real clockwise = positive(kernel.circle[k]);
            const Real back = negative(kernel.circle[k - 1]);
            kernel.leaving[k] = clockwise - back;
            kernel.from_ahead[k] = negative(kernel.circle[k]);
            kernel.from_behind[k] = positive(kernel.circle[k - 1]);
        }
    }
    template <class P, class Real>
    TRADEWIND_INLINE static void cross(const CellKernel<Real>& kernel, const Target<Real>& target) {
        const bool is_same = target.first >= kernel.cell.same_velocity;
        Real* to = target.values;
        for (std::int64_t m = target.first; m < target.last; ++m, to += target.stride) {
            if (is_same && kernel.cell.side_count == 6) {
                cross_at_once<P, 6>(kernel, m, to);
            } else {
                cross_by_sides<P>(kernel, m, to);
            }
        }
    }
    template <class P, class Real>
    TRADEWIND_INLINE static void turn(const CellKernel<Real>& kernel, const Real* from,
                                      const Target<Real>& target) {
        const bool is_deep = target.first >= kernel.cell.deep;
        const Real* row = from + row_halo;
        Real* to = target.values;
        for (std::int64_t m = target.first; m < target.last; ++m) {
            if (is_deep) {
                turn_deep<P>(kernel, m, row, to);
            } else {
                turn_all<P>(kernel, m, row, to);
            }
            row += kernel.stride;
            to += target.stride;
        }
    }
};

/// Computes the share of a flux that is taken from `upwind`, with the correction by the limiter of
/// van Leer: half the harmonic mean of the differences to both sides, if these have the same sign,
/// times 1 - Courant number.
template <class Real, class Values>
TRADEWIND_INLINE void limit(const Values& before, const Values& upwind, const Values& downwind,
                            const Values& courant, Values& face) {
    const Values behind = upwind - before;
    const Values ahead = downwind - upwind;
    const Values product = behind * ahead;
    const Values mean = product / (behind + ahead);
    face = upwind + (Real(1) - courant) * (product > Real(0) ? mean : Values{});
}

/// Moves waves of a frequency through `count` sides from `first` on, or through as many as there
/// are if `count` is 0.
template <class P, std::int64_t count, class Real>
TRADEWIND_INLINE void cross_limited(const CellKernel<Real>& kernel, std::int64_t m, Real* to) {
    using Values = typename P::Values;
    const PropagationCell<Real>& cell = kernel.cell;
    const std::int64_t directions = kernel.directions;
    const std::int64_t begin = m * directions;
    const std::int64_t sides = count > 0 ? count : cell.side_count;
    for_pieces<P>(directions, [&](std::int64_t k) __attribute__((always_inline)) {
        const Values here = piece<P>(cell.now + begin + k);
        Values result = here;
        for (std::int64_t e = 0; e < sides; ++e) {
            const PropagationSide<Real>& side = cell.sides[e];
            const Values rate = side.group_velocity[m] * piece<P>(kernel.rate + e * directions + k);
            const auto is_out = rate > Real(0);
            const Values there = piece<P>(side.neighbor + begin + k);
            const Values behind = piece<P>(side.behind + begin + k);
            const Values beyond = piece<P>(side.beyond + begin + k);
            const Values courant = side.shape * (is_out ? rate : -rate);
            Values face;
            limit<Real, Values>(is_out ? behind : beyond, is_out ? here : there,
                                is_out ? there : here, courant, face);
            result -= rate * face;
        }
        piece<P>(to + k) = result;
    });
}

/// Computes limited fluxes through the ends of sectors.
template <class P, class Real>
TRADEWIND_INLINE void turn_fluxes(const CellKernel<Real>& kernel, std::int64_t m, const Real* row,
                                  Real* flux) {
    using Values = typename P::Values;
    const Real turning = kernel.cell.turning[m];
    const Real velocity = kernel.cell.group_velocity[m];
    for_pieces<P>(kernel.directions, [&](std::int64_t k) __attribute__((always_inline)) {
        const Values speed =
            turning * piece<P>(kernel.slope + k) + velocity * piece<P>(kernel.circle + k);
        const auto is_forward = speed > Real(0);
        const Values here = piece<P>(row + k);
        const Values ahead = piece<P>(row + k + 1);
        const Values behind = piece<P>(row + k - 1);
        const Values beyond = piece<P>(row + k + 2);
        Values face;
        limit<Real, Values>(is_forward ? behind : beyond, is_forward ? here : ahead,
                            is_forward ? ahead : here, is_forward ? speed : -speed, face);
        piece<P>(flux + k) = speed * face;
    });
}

/// The limited scheme.
struct Limited {
    template <class Real>
    TRADEWIND_INLINE static void begin(const CellKernel<Real>&) {}

    template <class P, class Real>
    TRADEWIND_INLINE static void cross(const CellKernel<Real>& kernel, const Target<Real>& target) {
        Real* to = target.values;
        for (std::int64_t m = target.first; m < target.last; ++m, to += target.stride) {
            if (kernel.cell.side_count == 6) {
                cross_limited<P, 6>(kernel, m, to);
            } else {
                cross_limited<P, 0>(kernel, m, to);
            }
        }
    }
    template <class P, class Real>
    TRADEWIND_INLINE static void turn(const CellKernel<Real>& kernel, const Real* from,
                                      const Target<Real>& target) {
        const std::int64_t count = target.last - target.first;
        for (std::int64_t n = 0; n < count; ++n) {
            const std::int64_t place = n * kernel.stride + row_halo;
            turn_fluxes<P>(kernel, target.first + n, from + place, kernel.flux_rows + place);
        }
        close_circle(kernel, count, kernel.flux_rows);
        for (std::int64_t n = 0; n < count; ++n) {
            const Real* const row = from + n * kernel.stride + row_halo;
            const Real* const flux = kernel.flux_rows + n * kernel.stride + row_halo;
            Real* const to = target.values + n * target.stride;
            for_pieces<P>(kernel.directions, [&](std::int64_t k) __attribute__((always_inline)) {
                piece<P>(to + k) =
                    piece<P>(row + k) - (piece<P>(flux + k) - piece<P>(flux + k - 1));
            });
        }
    }
};

}  // namespace tradewind::fvwam

/// The upwind and the limited scheme for one cell, some frequencies at a time.
#pragma once

#include <type_traits>

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

/// Directions of waves of a piece: all out of a cell, all into it, or some of both.
enum class SideFlow : std::uint8_t { out, in, both };

/// Returns the flow of a piece by the rates of its directions. Rates are a sine of the direction:
/// within half the circle they have the sign of their ends.
template <class P, class Real>
TRADEWIND_INLINE SideFlow flow_of(const Real* rate, std::int64_t directions) {
    const bool is_out = rate[0] > 0;
    if (is_out != (rate[P::width - 1] > 0) || 2 * P::width > directions) return SideFlow::both;
    return is_out ? SideFlow::out : SideFlow::in;
}

/// Calls `work` with the flow of a piece as a type.
template <class P, class Real, class Work>
TRADEWIND_INLINE void with_flow(const Real* rate, std::int64_t directions, const Work& work) {
    switch (flow_of<P>(rate, directions)) {
        case SideFlow::out:
            return work(std::integral_constant<SideFlow, SideFlow::out>{});
        case SideFlow::in:
            return work(std::integral_constant<SideFlow, SideFlow::in>{});
        case SideFlow::both:
            return work(std::integral_constant<SideFlow, SideFlow::both>{});
    }
}

/// Rates at which waves flow out (>= 0) and in (<= 0), and without their sign.
template <class Real, class Values>
struct Rates {
    TRADEWIND_INLINE explicit Rates(const Values& rate) {
        in = rate < Real(0) ? rate : Values{};
        out = rate - in;
        size = out - in;
    }

    Values out;
    Values in;
    Values size;
};

/// Values behind a cell, in it, in its neighbour, and beyond that.
template <class Values>
struct Stencil {
    Values behind;
    Values here;
    Values there;
    Values beyond;
};

/// Computes half the difference between `there` and `here`, limited as by van Leer: half the
/// harmonic mean of this difference and the one on the side from which waves come, if both have the
/// same sign.
template <SideFlow flow, class Real, class Values>
TRADEWIND_INLINE void limit(const Stencil<Values>& values, const Rates<Real, Values>& rates,
                            Values& difference) {
    const Values ahead = values.there - values.here;
    Values before;
    if constexpr (flow == SideFlow::out) {
        before = values.here - values.behind;
    } else if constexpr (flow == SideFlow::in) {
        before = values.beyond - values.there;
    } else {
        const auto is_out = rates.out > Real(0);
        before = (is_out ? values.here : values.beyond) - (is_out ? values.behind : values.there);
    }
    const Values product = before * ahead;
    const Values mean = product / (before + ahead);
    difference = product > Real(0) ? mean : Values{};
}

/// Adds what flows through a side, of `count` frequencies from `m` on and the directions from `k`
/// on. With `is_same` it is that at 1 m/s, without the first order of what flows out.
template <class P, std::int64_t count, bool is_same, SideFlow flow, class Real>
TRADEWIND_INLINE void add_flux(const CellKernel<Real>& kernel, const PropagationSide<Real>& side,
                               const Real* rate, std::int64_t m, std::int64_t k,
                               typename P::Values* sum) {
    using Values = typename P::Values;
    const Values signed_rate = piece<P>(rate + k);
    const Rates<Real, Values> rates(signed_rate);
    // The correction has the factor 1 - Courant number.
    const Values square = side.shape * rates.size * rates.size;
#pragma GCC unroll 8
    for (std::int64_t n = 0; n < count; ++n) {
        const std::int64_t place = (m + n) * kernel.directions + k;
        Stencil<Values> values;
        values.here = piece<P>(kernel.cell.now + place);
        values.there = piece<P>(side.neighbor + place);
        if constexpr (flow != SideFlow::in) values.behind = piece<P>(side.behind + place);
        if constexpr (flow != SideFlow::out) values.beyond = piece<P>(side.beyond + place);
        Values difference;
        limit<flow>(values, rates, difference);
        const Real velocity = side.group_velocity[m + n];
        Values flux = (rates.size - velocity * square) * difference;
        if constexpr (flow != SideFlow::out) flux += rates.in * values.there;
        if constexpr (flow != SideFlow::in && !is_same) flux += rates.out * values.here;
        if constexpr (!is_same) flux *= velocity;
        sum[n] += flux;
    }
}

/// Moves waves of `count` frequencies from `m` on through all sides; with `is_same` these have the
/// same group velocity.
template <class P, std::int64_t count, bool is_same, class Real>
TRADEWIND_INLINE void cross_limited(const CellKernel<Real>& kernel, std::int64_t m, Real* to,
                                    std::int64_t stride) {
    using Values = typename P::Values;
    const PropagationCell<Real>& cell = kernel.cell;
    const std::int64_t directions = kernel.directions;
    const Real* const own = cell.now + m * directions;
    for_pieces<P>(directions, [&](std::int64_t k) __attribute__((always_inline)) {
        Values sum[count];
#pragma GCC unroll 8
        for (std::int64_t n = 0; n < count; ++n) {
            sum[n] = Values{};
            if constexpr (is_same)
                sum[n] = piece<P>(kernel.outflow + k) * piece<P>(own + n * directions + k);
        }
        for (std::int64_t e = 0; e < cell.side_count; ++e) {
            const Real* const rate = kernel.rate + e * directions;
            with_flow<P>(rate + k, directions, [&](auto flow) __attribute__((always_inline)) {
                add_flux<P, count, is_same, decltype(flow)::value>(kernel, cell.sides[e], rate, m,
                                                                   k, sum);
            });
        }
#pragma GCC unroll 8
        for (std::int64_t n = 0; n < count; ++n) {
            if constexpr (is_same) sum[n] *= cell.sides[0].group_velocity[m + n];
            piece<P>(to + n * stride + k) = piece<P>(own + n * directions + k) - sum[n];
        }
    });
}

/// Computes the limited flux through the ends of sectors from that of `row` on. `square` is the
/// square of the rates times the speed for which they are.
template <class P, SideFlow flow, class Real>
TRADEWIND_INLINE void turn_flux(const Real* row, const Rates<Real, typename P::Values>& rates,
                                const typename P::Values& square, Real* flux) {
    using Values = typename P::Values;
    Stencil<Values> values;
    values.behind = piece<P>(row - 1);
    values.here = piece<P>(row);
    values.there = piece<P>(row + 1);
    values.beyond = piece<P>(row + 2);
    Values difference;
    limit<flow>(values, rates, difference);
    Values sum = (rates.size - square) * difference;
    if constexpr (flow != SideFlow::in) sum += rates.out * values.here;
    if constexpr (flow != SideFlow::out) sum += rates.in * values.there;
    piece<P>(flux) = sum;
}

/// Computes limited fluxes through the ends of sectors.
template <class P, class Real>
TRADEWIND_INLINE void turn_fluxes(const CellKernel<Real>& kernel, std::int64_t m, const Real* row,
                                  Real* flux) {
    using Values = typename P::Values;
    const Real turning = kernel.cell.turning[m];
    const Real velocity = kernel.cell.group_velocity[m];
    for_pieces<P>(kernel.directions, [&](std::int64_t k) __attribute__((always_inline)) {
        const Rates<Real, Values> rates(turning * piece<P>(kernel.slope + k) +
                                        velocity * piece<P>(kernel.circle + k));
        const Values square = rates.size * rates.size;
        turn_flux<P, SideFlow::both>(row + k, rates, square, flux + k);
    });
}

/// Computes limited fluxes at 1 m/s, of `count` frequencies from `m` on, where the bottom does not
/// turn waves.
template <class P, class Real>
TRADEWIND_INLINE void turn_fluxes_deep(const CellKernel<Real>& kernel, std::int64_t m,
                                       std::int64_t count, const Real* rows, Real* fluxes) {
    using Values = typename P::Values;
    for_pieces<P>(kernel.directions, [&](std::int64_t k) __attribute__((always_inline)) {
        const Real* const circle = kernel.circle + k;
        with_flow<P>(circle, kernel.directions, [&](auto flow) __attribute__((always_inline)) {
            const Values turning = piece<P>(circle);
            const Rates<Real, Values> rates(turning);
            const Values square = rates.size * rates.size;
            for (std::int64_t n = 0; n < count; ++n) {
                const std::int64_t place = n * kernel.stride + k;
                const Values at_speed = kernel.cell.group_velocity[m + n] * square;
                turn_flux<P, decltype(flow)::value>(rows + place, rates, at_speed, fluxes + place);
            }
        });
    });
}

/// The limited scheme.
struct Limited {
    template <class Real>
    TRADEWIND_INLINE static void begin(const CellKernel<Real>&) {}

    template <class P, class Real>
    TRADEWIND_INLINE static void cross(const CellKernel<Real>& kernel, const Target<Real>& target) {
        if (kernel.cell.side_count > 0 && target.first >= kernel.cell.same_velocity) {
            cross_sides<P, true>(kernel, target);
        } else {
            cross_sides<P, false>(kernel, target);
        }
    }
    template <class P, class Real>
    TRADEWIND_INLINE static void turn(const CellKernel<Real>& kernel, const Real* from,
                                      const Target<Real>& target) {
        const bool is_deep = target.first >= kernel.cell.deep;
        const std::int64_t count = target.last - target.first;
        const Real* const rows = from + row_halo;
        Real* const fluxes = kernel.flux_rows + row_halo;
        if (is_deep) {
            turn_fluxes_deep<P>(kernel, target.first, count, rows, fluxes);
        } else {
            for (std::int64_t n = 0; n < count; ++n)
                turn_fluxes<P>(kernel, target.first + n, rows + n * kernel.stride,
                               fluxes + n * kernel.stride);
        }
        close_circle(kernel, count, kernel.flux_rows);
        for (std::int64_t n = 0; n < count; ++n) {
            const Real* const row = rows + n * kernel.stride;
            const Real* const flux = fluxes + n * kernel.stride;
            Real* const to = target.values + n * target.stride;
            const Real velocity = is_deep ? kernel.cell.group_velocity[target.first + n] : Real(1);
            for_pieces<P>(kernel.directions, [&](std::int64_t k) __attribute__((always_inline)) {
                piece<P>(to + k) =
                    piece<P>(row + k) - velocity * (piece<P>(flux + k) - piece<P>(flux + k - 1));
            });
        }
    }

private:
    template <class P, bool is_same, class Real>
    TRADEWIND_INLINE static void cross_sides(const CellKernel<Real>& kernel,
                                             const Target<Real>& target) {
        constexpr std::int64_t all = frequencies_at_once<Real>;
        if (target.last - target.first == all)
            return cross_limited<P, all, is_same>(kernel, target.first, target.values,
                                                  target.stride);
        Real* to = target.values;
        for (std::int64_t m = target.first; m < target.last; ++m, to += target.stride)
            cross_limited<P, 1, is_same>(kernel, m, to, target.stride);
    }
};

}  // namespace tradewind::fvwam

#include "tradewind/models/fvwam/sources/dia_kernels.hpp"

#include <utility>

namespace tradewind::fvwam {

namespace {

/// Sizes of rows, and the distances in directions to the nearer bin of each partner. For usual
/// numbers of directions they are constants when the kernels are compiled, which halves the number
/// of instructions.
struct Sizes {
    std::int64_t directions;
    std::int64_t halo;
    std::int64_t width;
    std::int64_t stride;
    std::int64_t plus;
    std::int64_t minus;

    friend bool operator==(const Sizes&, const Sizes&) = default;
};

template <class Real>
[[nodiscard]] TRADEWIND_INLINE Sizes sizes_of(const InteractionArguments<Real>& a) {
    return {a.shape.directions, a.shape.halo,        a.shape.vectors * lanes<Real>,
            a.shape.stride,     a.grid.plus_sectors, a.grid.minus_sectors};
}

/// Returns the sizes for a number of directions, with angles of 11.48 and 33.56 degrees.
template <class Real>
[[nodiscard]] constexpr Sizes usual_sizes(std::int64_t directions) {
    const auto plus = std::int64_t(11.4783 / 360 * double(directions));
    const auto minus = std::int64_t(33.5573 / 360 * double(directions));
    const std::int64_t halo = whole_vectors<Real>(minus + 1);
    const std::int64_t width = whole_vectors<Real>(directions);
    return {directions, halo, width, width + 2 * halo, plus, minus};
}

/// Interpolates the partners between frequencies, in the halos as far as they are read.
template <class Real>
TRADEWIND_INLINE void find_partners(const InteractionArguments<Real>& a, const Sizes& s,
                                    const Interaction<Real>& i, Real* now) {
    const Real* const waves = a.waves;
    const Real* const a0 = waves + i.plus[0] * s.stride;
    const Real* const a1 = waves + i.plus[1] * s.stride;
    const Real* const b0 = waves + i.minus[0] * s.stride;
    const Real* const b1 = waves + i.minus[1] * s.stride;
    const Real by_a0 = i.plus_weight[0];
    const Real by_a1 = i.plus_weight[1];
    const Real by_b0 = i.minus_weight[0];
    const Real by_b1 = i.minus_weight[1];
    const std::int64_t beyond = whole_vectors<Real>(2 * (s.minus + 1)) / 2;
    for (std::int64_t k = -beyond; k < s.width + beyond; k += lanes<Real>) {
        at(now + plus_row * s.stride + k) = by_a0 * at(a0 + k) + by_a1 * at(a1 + k);
        at(now + minus_row * s.stride + k) = by_b0 * at(b0 + k) + by_b1 * at(b1 + k);
    }
}

/// The rate of a quadruplet and its derivatives in one vector: by the wave itself over its
/// strength, and by the partners times (1 +- L)^4.
template <class Real>
struct Quadruplet {
    Vector<Real> rate;
    Vector<Real> own;
    Vector<Real> by_plus;
    Vector<Real> by_minus;
};
template <class Real>
TRADEWIND_INLINE void interact(const Vector<Real>& wave, const Vector<Real>& scaled,
                               const Vector<Real>& plus, const Vector<Real>& minus,
                               Quadruplet<Real>& q) {
    const Vector<Real> twice_minus = minus + minus;
    const Vector<Real> gain = wave * (plus + minus);
    const Vector<Real> net = gain - plus * twice_minus;
    q.rate = net * scaled;
    q.own = gain + net;
    q.by_plus = (wave - twice_minus) * scaled;
    q.by_minus = (wave - (plus + plus)) * scaled;
}

/// Computes the rates of both mirror images of all directions of a frequency.
template <class Real>
TRADEWIND_INLINE void compute_rates(const InteractionArguments<Real>& a, const Sizes& s,
                                    const Interaction<Real>& i, Real* now) {
    const Real force = i.strength * a.factor;
    const Real level = i.centre_weight;
    const Real up = a.grid.plus_direction[0];
    const Real next_up = a.grid.plus_direction[1];
    const Real down = a.grid.minus_direction[0];
    const Real next_down = a.grid.minus_direction[1];
    const Real* const waves = a.waves + i.centre * s.stride;
    Real* const kept = a.ring + i.kept * s.stride;
    for (std::int64_t k = 0; k < s.width; k += lanes<Real>) {
        const Vector<Real> wave = level * at(waves + k);
        const Vector<Real> scaled = force * wave;
        Real* const here = now + k;
        const Real* const p = here + plus_row * s.stride;
        const Real* const n = here + minus_row * s.stride;
        Quadruplet<Real> one;
        Quadruplet<Real> two;
        interact<Real>(wave, scaled, up * at(p + s.plus) + next_up * at(p + s.plus + 1),
                       down * at(n - s.minus) + next_down * at(n - s.minus - 1), one);
        interact<Real>(wave, scaled, up * at(p - s.plus) + next_up * at(p - s.plus - 1),
                       down * at(n + s.minus) + next_down * at(n + s.minus + 1), two);
        at(here + rate_row * s.stride) = one.rate;
        at(here + (rate_row + 1) * s.stride) = two.rate;
        at(here + by_plus_row * s.stride) = one.by_plus;
        at(here + (by_plus_row + 1) * s.stride) = two.by_plus;
        at(here + by_minus_row * s.stride) = one.by_minus;
        at(here + (by_minus_row + 1) * s.stride) = two.by_minus;
        at(kept + own_row * s.stride + k) = one.rate + two.rate;
        at(kept + own_by_row * s.stride + k) = force * (one.own + two.own);
    }
}

template <class Real>
TRADEWIND_INLINE void fill_halos(const Sizes& s, Real* now) {
    for (std::int64_t row = rate_row; row < now_rows; ++row) {
        Real* const first = now + row * s.stride;
        for (std::int64_t k = 0; k < s.halo; k += lanes<Real>) {
            at(first + s.directions + k) = at(first + k);
            at(first - s.halo + k) = at(first + s.directions - s.halo + k);
        }
    }
}

/// Adds what both mirror images, which are adjacent rows, give to one vector of directions. `near`
/// and `far` are the distances from a wave to both bins of the partner in the first image.
template <class Real>
TRADEWIND_INLINE void collect(const Sizes& s, const Real* image, std::int64_t near,
                              std::int64_t far, Real by_near, Real by_far, Real* result) {
    const Real* const mirror = image + s.stride;
    at(result) = by_near * (at(image - near) + at(mirror + near)) +
                 by_far * (at(image - far) + at(mirror + far));
}

/// Brings the rates of a frequency to the directions of the partners.
template <class Real>
TRADEWIND_INLINE void spread_rates(const InteractionArguments<Real>& a, const Sizes& s,
                                   const Interaction<Real>& i, const Real* now) {
    const Real up = a.grid.plus_direction[0];
    const Real next_up = a.grid.plus_direction[1];
    const Real down = a.grid.minus_direction[0];
    const Real next_down = a.grid.minus_direction[1];
    Real* const kept = a.ring + i.kept * s.stride;
    const std::int64_t p = s.plus;
    const std::int64_t n = -s.minus;
    for (std::int64_t k = 0; k < s.width; k += lanes<Real>) {
        collect(s, now + rate_row * s.stride + k, p, p + 1, up, next_up,
                kept + up_row * s.stride + k);
        collect(s, now + rate_row * s.stride + k, n, n - 1, down, next_down,
                kept + down_row * s.stride + k);
        collect(s, now + by_plus_row * s.stride + k, p, p + 1, up * up, next_up * next_up,
                kept + up_by_row * s.stride + k);
        collect(s, now + by_minus_row * s.stride + k, n, n - 1, down * down, next_down * next_down,
                kept + down_by_row * s.stride + k);
    }
}

/// Computes what a frequency receives from itself and from those of which it is a partner.
template <class Real>
TRADEWIND_INLINE void gather(const InteractionArguments<Real>& a, const Sizes& s, std::int64_t m) {
    // The derivatives by the partners contain 1 / (1 +- L)^4.
    constexpr double high = 1 + frequency_shift;
    constexpr double low = 1 - frequency_shift;
    constexpr auto by_high = Real(1 / (high * high * high * high));
    constexpr auto by_low = Real(1 / (low * low * low * low));
    const Interaction<Real>& i = a.interactions[std::size_t(m)];
    const Real p = a.grid.plus_frequency[0];
    const Real next_p = a.grid.plus_frequency[1];
    const Real n = a.grid.minus_frequency[0];
    const Real next_n = a.grid.minus_frequency[1];
    const Real* const own = a.ring + i.kept * s.stride;
    const Real* const up = a.ring + i.from[0] * s.stride;
    const Real* const next_up = a.ring + i.from[1] * s.stride;
    const Real* const down = a.ring + i.from[2] * s.stride;
    const Real* const next_down = a.ring + i.from[3] * s.stride;
    Real* const source = a.source + m * s.stride;
    Real* const derivative = a.derivative + m * s.stride;
    const auto row = [&s](std::int64_t number, std::int64_t k) { return number * s.stride + k; };
    for (std::int64_t k = 0; k < s.width; k += lanes<Real>) {
        at(source + k) =
            (p * at(up + row(up_row, k)) + next_p * at(next_up + row(up_row, k))) +
            (n * at(down + row(down_row, k)) + next_n * at(next_down + row(down_row, k))) -
            Real(2) * at(own + row(own_row, k));
        at(derivative + k) = ((p * p * by_high) * at(up + row(up_by_row, k)) +
                              (next_p * next_p * by_high) * at(next_up + row(up_by_row, k))) +
                             ((n * n * by_low) * at(down + row(down_by_row, k)) +
                              (next_n * next_n * by_low) * at(next_down + row(down_by_row, k))) -
                             Real(2) * at(own + row(own_by_row, k));
    }
}

/// Computes all frequencies in three stages, each for another frequency at a time. A stage reads
/// unaligned vectors of rows that the one before has written; what was written just before would
/// have to reach the cache first. Rows therefore exist twice.
template <class Real>
TRADEWIND_INLINE void all_frequencies(const InteractionArguments<Real>& a, const Sizes& s) {
    const auto count = std::int64_t(a.interactions.size());
    Real* now = a.now;
    Real* before = a.now + now_rows * s.stride;
    find_partners(a, s, a.interactions[0], now);
    for (std::int64_t m = 0; m <= count; ++m) {
        // `before` holds frequency m - 1, and F+ and F- of m + 1, which are no longer needed of it.
        if (m + 1 < count) find_partners(a, s, a.interactions[std::size_t(m + 1)], before);
        if (m > 0) fill_halos(s, before);
        if (m < count) compute_rates(a, s, a.interactions[std::size_t(m)], now);
        if (m > 0) spread_rates(a, s, a.interactions[std::size_t(m - 1)], before);
        const std::int64_t complete = m - 1 + a.grid.minus_steps;
        if (complete >= 0) gather(a, s, complete);
        std::swap(now, before);
    }
}

/// Selects the kernel of a usual number of directions, or that of any number.
template <class Real>
TRADEWIND_INLINE void select(const InteractionArguments<Real>& a) {
    constexpr Sizes by_10_degrees = usual_sizes<Real>(36);
    constexpr Sizes by_15_degrees = usual_sizes<Real>(24);
    const Sizes sizes = sizes_of(a);
    if (sizes == by_10_degrees) return all_frequencies(a, by_10_degrees);
    if (sizes == by_15_degrees) return all_frequencies(a, by_15_degrees);
    all_frequencies(a, sizes);
}

}  // namespace

TRADEWIND_CLONES
void compute_interactions(const InteractionArguments<float>& arguments) {
    select(arguments);
}
TRADEWIND_CLONES
void compute_interactions(const InteractionArguments<double>& arguments) {
    select(arguments);
}

}  // namespace tradewind::fvwam

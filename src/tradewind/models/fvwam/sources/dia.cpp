#include "tradewind/models/fvwam/sources/dia.hpp"

#include <algorithm>
#include <cmath>

namespace tradewind::fvwam {

namespace {

constexpr double shift = 0.25;
constexpr double strength = 3000.0;

/// Rows of the frequency that acts: F+ and F-, and of both mirror images the rate A and its
/// derivatives by F+ and F-.
enum NowRow : std::uint8_t {
    plus_row,
    minus_row,
    rate_row,
    by_plus_row = 4,
    by_minus_row = 6,
    now_rows = 8
};
/// Rows that a frequency keeps for the bins it acts on: the sums over mirror images for itself and
/// its partners, and the derivatives.
enum RingRow : std::uint8_t {
    own_row,
    own_by_row,
    up_row,
    up_by_row,
    down_row,
    down_by_row,
    ring_rows
};

/// The angles of the partners in rad, from the resonance of deep water.
struct Angles {
    double plus;
    double minus;
};
[[nodiscard]] Angles partner_angles() {
    const double high = 1 + shift;
    const double low = 1 - shift;
    const double cosine = (1 + 2 * shift + 2 * shift * shift * shift) / (high * high);
    const double ratio = std::pow(high / low, 4);
    return {std::acos(cosine), std::acos(std::sqrt(1 - ratio + ratio * cosine * cosine))};
}

/// Weights in direction of the second bin of both partners.
struct SecondWeights {
    double plus;
    double minus;
};

/// Returns the weights for which momentum is conserved along and across a wave's direction, given
/// the sums of weight * f^2 over the frequencies of each partner and the directions of both bins:
///
///     sum+ ((1 - p) e(a) + p e(a + sector)) + sum- ((1 - q) e(-b) + q e(-b - sector)) = (2, 0)
[[nodiscard]] SecondWeights conserving_weights(double plus_sum, double minus_sum,
                                               const Angles& first, double sector) {
    const auto step = [sector](double angle, auto function) {
        return function(angle + sector) - function(angle);
    };
    const auto sine = [](double x) { return std::sin(x); };
    const auto cosine = [](double x) { return std::cos(x); };
    const double a = plus_sum * step(first.plus, cosine);
    const double b = minus_sum * step(first.minus, cosine);
    const double c = plus_sum * step(first.plus, sine);
    const double d = -minus_sum * step(first.minus, sine);
    const double along = 2 - plus_sum * cosine(first.plus) - minus_sum * cosine(first.minus);
    const double across = minus_sum * sine(first.minus) - plus_sum * sine(first.plus);
    const double determinant = a * d - b * c;
    return {(along * d - b * across) / determinant, (a * across - along * c) / determinant};
}

[[nodiscard]] bool is_weight(double x) {
    return x >= 0 && x <= 1;
}

template <class Real>
[[nodiscard]] InteractionGrid<Real> interaction_grid(const SpectralGrid& spectrum) {
    const double ratio = spectrum.ratio();
    const double sector = spectrum.sector();
    const auto steps = [ratio](double change) {
        return std::int64_t(std::floor(std::log(change) / std::log(ratio) + 1e-7));
    };
    const auto power = [ratio](std::int64_t n) { return std::pow(ratio, double(n)); };
    const auto second = [&](double change, std::int64_t n) {
        return (change - power(n)) / (power(n + 1) - power(n));
    };
    InteractionGrid<Real> grid;
    grid.plus_steps = steps(1 + shift);
    grid.minus_steps = steps(1 - shift);
    const double up = second(1 + shift, grid.plus_steps);
    const double down = second(1 - shift, grid.minus_steps);
    const auto squares = [&](double weight, std::int64_t n) {
        return (1 - weight) * power(2 * n) + weight * power(2 * n + 2);
    };
    const Angles angles = partner_angles();
    grid.plus_sectors = std::int64_t(angles.plus / sector);
    grid.minus_sectors = std::int64_t(angles.minus / sector);
    const Angles first{double(grid.plus_sectors) * sector, double(grid.minus_sectors) * sector};
    SecondWeights turned = conserving_weights(squares(up, grid.plus_steps),
                                              squares(down, grid.minus_steps), first, sector);
    if (!is_weight(turned.plus) || !is_weight(turned.minus))
        turned = {(angles.plus - first.plus) / sector, (angles.minus - first.minus) / sector};
    const auto pair = [](double weight, Real* both) {
        both[0] = Real(1 - weight);
        both[1] = Real(weight);
    };
    pair(up, grid.plus_frequency);
    pair(down, grid.minus_frequency);
    pair(turned.plus, grid.plus_direction);
    pair(turned.minus, grid.minus_direction);
    return grid;
}

/// Finds the row of a frequency, and its level relative to that row: the tail above the last one,
/// and the front of a Pierson-Moskowitz spectrum below the first one.
struct Place {
    std::int64_t row;
    double level;
};
[[nodiscard]] Place place_of(const SpectralGrid& spectrum, std::int64_t m) {
    const std::int64_t last = spectrum.frequencies() - 1;
    if (m > last) return {last, std::pow(spectrum.ratio(), -5.0 * double(m - last))};
    if (m >= 0) return {m, 1.0};
    const double x = std::pow(spectrum.ratio(), double(-m));
    return {0, std::exp(1.25 - std::min(1.25 * std::pow(x, 4), 50.0)) * std::pow(x, 5)};
}

/// Returns the number of frequencies whose rows are kept.
template <class Real>
[[nodiscard]] std::int64_t ring_slots(const InteractionGrid<Real>& grid) {
    return grid.plus_steps - grid.minus_steps + 3;
}

/// Returns the first row that a frequency keeps, or the row of zeros for one below the first.
template <class Real>
[[nodiscard]] std::int64_t slot_of(const InteractionGrid<Real>& grid, std::int64_t m) {
    const std::int64_t slots = ring_slots(grid);
    return (m < 0 ? slots : m % slots) * ring_rows;
}

template <class Real>
[[nodiscard]] Interaction<Real> interaction_of(const SpectralGrid& spectrum,
                                               const InteractionGrid<Real>& grid, std::int64_t m) {
    Interaction<Real> found;
    const Place centre = place_of(spectrum, m);
    found.centre = centre.row;
    found.centre_weight = Real(centre.level);
    for (int i = 0; i < 2; ++i) {
        const Place up = place_of(spectrum, m + grid.plus_steps + i);
        const Place down = place_of(spectrum, m + grid.minus_steps + i);
        found.plus[i] = up.row;
        found.minus[i] = down.row;
        found.plus_weight[i] =
            Real(double(grid.plus_frequency[i]) * up.level / std::pow(1 + shift, 4));
        found.minus_weight[i] =
            Real(double(grid.minus_frequency[i]) * down.level / std::pow(1 - shift, 4));
    }
    const double frequency = spectrum.frequency(0) * std::pow(spectrum.ratio(), double(m));
    found.strength = Real(strength * std::pow(frequency, 11));
    found.kept = slot_of(grid, m);
    for (int i = 0; i < 2; ++i) {
        found.from[i] = slot_of(grid, m - grid.plus_steps - i);
        found.from[2 + i] = slot_of(grid, m - grid.minus_steps - i);
    }
    return found;
}

/// The arguments of the kernel.
template <class Real>
struct InteractionArguments {
    const RowShape& shape;
    const InteractionGrid<Real>& grid;
    const std::vector<Interaction<Real>>& interactions;
    const Rows<Real>& waves;
    Real factor;
    Rows<Real>& now;
    Rows<Real>& ring;
    Rows<Real>& source;
    Rows<Real>& derivative;
};

// In the loops below, rows and weights are local, since a store to a row might otherwise change
// them as far as the compiler knows.

/// Interpolates the partners between frequencies, in the halos as well.
template <class Real>
TRADEWIND_INLINE void find_partners(const InteractionArguments<Real>& a, const Interaction<Real>& i,
                                    std::int64_t now) {
    for (int partner = 0; partner < 2; ++partner) {
        const std::int64_t* const rows = partner == 0 ? i.plus : i.minus;
        const Real* const weights = partner == 0 ? i.plus_weight : i.minus_weight;
        const Real* const first = a.waves[rows[0]];
        const Real* const second = a.waves[rows[1]];
        Real* const result = a.now[now + (partner == 0 ? plus_row : minus_row)];
        const Real by_first = weights[0];
        const Real by_second = weights[1];
        const std::int64_t halo = a.shape.halo;
        const std::int64_t end = a.shape.stride - halo;
        for (std::int64_t k = -halo; k < end; k += lanes<Real>)
            at(result + k) = by_first * at(first + k) + by_second * at(second + k);
    }
}

/// The weights of two bins, and the distances to them.
template <class Real>
struct BinPair {
    std::int64_t near;
    std::int64_t far;
    Real by_near;
    Real by_far;
};
template <class Real>
TRADEWIND_INLINE BinPair<Real> plus_pair(const InteractionGrid<Real>& grid) {
    return {grid.plus_sectors, grid.plus_sectors + 1, grid.plus_direction[0],
            grid.plus_direction[1]};
}
template <class Real>
TRADEWIND_INLINE BinPair<Real> minus_pair(const InteractionGrid<Real>& grid) {
    return {grid.minus_sectors, grid.minus_sectors + 1, grid.minus_direction[0],
            grid.minus_direction[1]};
}
/// Returns the pair with squared weights.
template <class Real>
TRADEWIND_INLINE BinPair<Real> squared(const BinPair<Real>& pair) {
    return {pair.near, pair.far, pair.by_near * pair.by_near, pair.by_far * pair.by_far};
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

/// The rows of both mirror images.
template <class Real>
struct ImageRows {
    Real* rate;
    Real* by_plus;
    Real* by_minus;
};

/// Computes the rates of both mirror images of all directions of a frequency.
template <class Real>
TRADEWIND_INLINE void compute_rates(const InteractionArguments<Real>& a, const Interaction<Real>& i,
                                    std::int64_t now) {
    const Real force = i.strength * a.factor;
    const Real level = i.centre_weight;
    const BinPair<Real> up = plus_pair(a.grid);
    const BinPair<Real> down = minus_pair(a.grid);
    const Real* const waves = a.waves[i.centre];
    const Real* const plus = a.now[now + plus_row];
    const Real* const minus = a.now[now + minus_row];
    const ImageRows<Real> one{a.now[now + rate_row], a.now[now + by_plus_row],
                              a.now[now + by_minus_row]};
    const ImageRows<Real> two{a.now[now + rate_row + 1], a.now[now + by_plus_row + 1],
                              a.now[now + by_minus_row + 1]};
    Real* const own = a.ring[i.kept + own_row];
    Real* const own_by = a.ring[i.kept + own_by_row];
    const std::int64_t end = a.shape.vectors * lanes<Real>;
    for (std::int64_t k = 0; k < end; k += lanes<Real>) {
        const Vector<Real> wave = level * at(waves + k);
        const Vector<Real> scaled = force * wave;
        const Real* const p = plus + k;
        const Real* const n = minus + k;
        Quadruplet<Real> first;
        Quadruplet<Real> second;
        interact<Real>(wave, scaled, up.by_near * at(p + up.near) + up.by_far * at(p + up.far),
                       down.by_near * at(n - down.near) + down.by_far * at(n - down.far), first);
        interact<Real>(wave, scaled, up.by_near * at(p - up.near) + up.by_far * at(p - up.far),
                       down.by_near * at(n + down.near) + down.by_far * at(n + down.far), second);
        at(one.rate + k) = first.rate;
        at(two.rate + k) = second.rate;
        at(one.by_plus + k) = first.by_plus;
        at(two.by_plus + k) = second.by_plus;
        at(one.by_minus + k) = first.by_minus;
        at(two.by_minus + k) = second.by_minus;
        at(own + k) = first.rate + second.rate;
        at(own_by + k) = force * (first.own + second.own);
    }
}

/// Distributes what both mirror images give to the directions of a partner, which in the first
/// image is at the distances of the pair, or at the opposite ones if `sign` is -1.
template <class Real>
TRADEWIND_INLINE void spread(const InteractionArguments<Real>& a, std::int64_t row,
                             std::int64_t sign, const BinPair<Real>& pair, Real* result) {
    const Real* const first = a.now[row];
    const Real* const second = a.now[row + 1];
    const std::int64_t near = sign * pair.near;
    const std::int64_t far = sign * pair.far;
    const Real by_near = pair.by_near;
    const Real by_far = pair.by_far;
    const std::int64_t end = a.shape.vectors * lanes<Real>;
    for (std::int64_t k = 0; k < end; k += lanes<Real>)
        at(result + k) = by_near * (at(first + k - near) + at(second + k + near)) +
                         by_far * (at(first + k - far) + at(second + k + far));
}

template <class Real>
TRADEWIND_INLINE void fill_halos(const InteractionArguments<Real>& a, std::int64_t now) {
    for (int row = rate_row; row < now_rows; ++row) fill_halo(a.shape, a.now[now + row]);
}

template <class Real>
TRADEWIND_INLINE void spread_rates(const InteractionArguments<Real>& a, std::int64_t now,
                                   std::int64_t slot) {
    const BinPair<Real> up = plus_pair(a.grid);
    const BinPair<Real> down = minus_pair(a.grid);
    spread(a, now + rate_row, 1, up, a.ring[slot + up_row]);
    spread(a, now + rate_row, -1, down, a.ring[slot + down_row]);
    spread(a, now + by_plus_row, 1, squared(up), a.ring[slot + up_by_row]);
    spread(a, now + by_minus_row, -1, squared(down), a.ring[slot + down_by_row]);
}

/// Adds four rows with weights, and takes away twice a fifth one.
template <class Real>
struct Gathered {
    const Real* rows[4];
    Real weights[4];
    const Real* own;
};
template <class Real>
TRADEWIND_INLINE void sum_rows(const Gathered<Real>& g, std::int64_t end, Real* result) {
    const Real* const a = g.rows[0];
    const Real* const b = g.rows[1];
    const Real* const c = g.rows[2];
    const Real* const d = g.rows[3];
    const Real* const own = g.own;
    const Real by_a = g.weights[0];
    const Real by_b = g.weights[1];
    const Real by_c = g.weights[2];
    const Real by_d = g.weights[3];
    for (std::int64_t k = 0; k < end; k += lanes<Real>) {
        const Vector<Real> up = by_a * at(a + k) + by_b * at(b + k);
        const Vector<Real> down = by_c * at(c + k) + by_d * at(d + k);
        at(result + k) = (up + down) - Real(2) * at(own + k);
    }
}

/// Computes what a frequency receives from itself and from those of which it is a partner.
template <class Real>
TRADEWIND_INLINE void gather(const InteractionArguments<Real>& a, std::int64_t m) {
    const InteractionGrid<Real>& g = a.grid;
    const Interaction<Real>& i = a.interactions[std::size_t(m)];
    const std::int64_t up = i.from[0];
    const std::int64_t next_up = i.from[1];
    const std::int64_t down = i.from[2];
    const std::int64_t next_down = i.from[3];
    const Real* const p = g.plus_frequency;
    const Real* const q = g.minus_frequency;
    // The derivatives by the partners contain 1 / (1 +- L)^4.
    constexpr auto high = Real(1 / ((1 + shift) * (1 + shift) * (1 + shift) * (1 + shift)));
    constexpr auto low = Real(1 / ((1 - shift) * (1 - shift) * (1 - shift) * (1 - shift)));
    const std::int64_t end = a.shape.vectors * lanes<Real>;
    sum_rows<Real>({{a.ring[up + up_row], a.ring[next_up + up_row], a.ring[down + down_row],
                     a.ring[next_down + down_row]},
                    {p[0], p[1], q[0], q[1]},
                    a.ring[i.kept + own_row]},
                   end, a.source[m]);
    sum_rows<Real>({{a.ring[up + up_by_row], a.ring[next_up + up_by_row],
                     a.ring[down + down_by_row], a.ring[next_down + down_by_row]},
                    {p[0] * p[0] * high, p[1] * p[1] * high, q[0] * q[0] * low, q[1] * q[1] * low},
                    a.ring[i.kept + own_by_row]},
                   end, a.derivative[m]);
}

/// Computes all frequencies in three stages, each for another frequency at a time. A stage reads
/// unaligned vectors of rows that the one before has written; what was written just before would
/// have to reach the cache first. Rows therefore exist twice.
template <class Real>
TRADEWIND_INLINE void all_frequencies(const InteractionArguments<Real>& a) {
    const auto count = std::int64_t(a.interactions.size());
    const auto now = [](std::int64_t m) { return m % 2 * now_rows; };
    find_partners(a, a.interactions[0], 0);
    for (std::int64_t m = 0; m <= count; ++m) {
        if (m + 1 < count) find_partners(a, a.interactions[std::size_t(m + 1)], now(m + 1));
        if (m > 0) fill_halos(a, now(m - 1));
        if (m < count) compute_rates(a, a.interactions[std::size_t(m)], now(m));
        if (m == 0) continue;
        spread_rates(a, now(m - 1), a.interactions[std::size_t(m - 1)].kept);
        const std::int64_t complete = m - 1 + a.grid.minus_steps;
        if (complete >= 0) gather(a, complete);
    }
}

TRADEWIND_CLONES
void run(const InteractionArguments<float>& a) {
    all_frequencies(a);
}
TRADEWIND_CLONES
void run(const InteractionArguments<double>& a) {
    all_frequencies(a);
}

}  // namespace

std::int64_t interaction_reach(const SpectralGrid& spectrum) {
    return std::int64_t(partner_angles().minus / spectrum.sector()) + 1;
}

template <class Real>
Dia<Real>::Dia(const SpectralGrid& spectrum, const RowShape& shape)
    : grid_(interaction_grid<Real>(spectrum)),
      now_(shape, 2 * now_rows),
      ring_(shape, (ring_slots(grid_) + 1) * ring_rows) {
    const std::int64_t count = spectrum.frequencies() - grid_.minus_steps;
    for (std::int64_t m = 0; m < count; ++m)
        interactions_.push_back(interaction_of(spectrum, grid_, m));
}

template <class Real>
void Dia<Real>::evaluate(const Rows<Real>& waves, double factor, Rows<Real>& source,
                         Rows<Real>& derivative) {
    run({waves.shape(), grid_, interactions_, waves, Real(factor), now_, ring_, source,
         derivative});
}

double shallow_factor(double mean_wave_number, double depth) {
    const double x = std::max(0.75 * mean_wave_number * depth, 0.5);
    if (x > 20) return 1.0;
    return 1 + 5.5 / x * (1 - 0.833 * x) * exponential_of(-1.25 * x);
}

template class Dia<float>;
template class Dia<double>;

}  // namespace tradewind::fvwam

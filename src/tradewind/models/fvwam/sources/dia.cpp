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
    return found;
}

/// The arguments of the kernel.
template <class Real>
struct Arguments {
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

/// The number of frequencies whose rows are kept.
template <class Real>
[[nodiscard]] TRADEWIND_INLINE std::int64_t ring_slots(const InteractionGrid<Real>& grid) {
    return grid.plus_steps - grid.minus_steps + 2;
}

/// Interpolates the partners between frequencies, in the halos as well.
template <class Real>
TRADEWIND_INLINE void find_partners(const Arguments<Real>& a, const Interaction<Real>& i) {
    const std::int64_t first = -a.shape.halo;
    for (std::int64_t k = first; k < first + a.shape.stride; k += lanes<Real>) {
        at(a.now[plus_row] + k) = i.plus_weight[0] * at(a.waves[i.plus[0]] + k) +
                                  i.plus_weight[1] * at(a.waves[i.plus[1]] + k);
        at(a.now[minus_row] + k) = i.minus_weight[0] * at(a.waves[i.minus[0]] + k) +
                                   i.minus_weight[1] * at(a.waves[i.minus[1]] + k);
    }
}

/// Adds two numbers of a row at a distance, with weights.
template <class Real>
TRADEWIND_INLINE void blend(const Real* row, std::int64_t first, std::int64_t second,
                            const Real* weights, Vector<Real>& sum) {
    sum = weights[0] * at(row + first) + weights[1] * at(row + second);
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
TRADEWIND_INLINE void compute_rates(const Arguments<Real>& a, const Interaction<Real>& i,
                                    std::int64_t slot) {
    const Real force = i.strength * a.factor;
    const std::int64_t up = a.grid.plus_sectors;
    const std::int64_t down = a.grid.minus_sectors;
    const Real* const plus = a.now[plus_row];
    const Real* const minus = a.now[minus_row];
    for (std::int64_t k = 0; k < a.shape.vectors * lanes<Real>; k += lanes<Real>) {
        const Vector<Real> wave = i.centre_weight * at(a.waves[i.centre] + k);
        const Vector<Real> scaled = force * wave;
        Vector<Real> high;
        Vector<Real> low;
        Quadruplet<Real> q[2];
        blend(plus + k, up, up + 1, a.grid.plus_direction, high);
        blend(minus + k, -down, -down - 1, a.grid.minus_direction, low);
        interact<Real>(wave, scaled, high, low, q[0]);
        blend(plus + k, -up, -up - 1, a.grid.plus_direction, high);
        blend(minus + k, down, down + 1, a.grid.minus_direction, low);
        interact<Real>(wave, scaled, high, low, q[1]);
        for (int mirror = 0; mirror < 2; ++mirror) {
            at(a.now[rate_row + mirror] + k) = q[mirror].rate;
            at(a.now[by_plus_row + mirror] + k) = q[mirror].by_plus;
            at(a.now[by_minus_row + mirror] + k) = q[mirror].by_minus;
        }
        at(a.ring[slot + own_row] + k) = q[0].rate + q[1].rate;
        at(a.ring[slot + own_by_row] + k) = force * (q[0].own + q[1].own);
    }
    for (int row = rate_row; row < now_rows; ++row) fill_halo(a.shape, a.now[row]);
}

/// Adds what both mirror images, which are adjacent rows, give to a direction. `near` and `far` are
/// the distances from a wave to both bins of the partner in the first image.
template <class Real>
TRADEWIND_INLINE void collect(const Real* first, const Real* second, std::int64_t near,
                              std::int64_t far, const Real* weights, Vector<Real>& sum) {
    sum = weights[0] * (at(first - near) + at(second + near)) +
          weights[1] * (at(first - far) + at(second + far));
}

/// Distributes the rates of a frequency to the directions of the partners.
template <class Real>
TRADEWIND_INLINE void spread_rates(const Arguments<Real>& a, std::int64_t slot) {
    const Real up_squares[] = {a.grid.plus_direction[0] * a.grid.plus_direction[0],
                               a.grid.plus_direction[1] * a.grid.plus_direction[1]};
    const Real down_squares[] = {a.grid.minus_direction[0] * a.grid.minus_direction[0],
                                 a.grid.minus_direction[1] * a.grid.minus_direction[1]};
    const std::int64_t up = a.grid.plus_sectors;
    const std::int64_t down = a.grid.minus_sectors;
    for (std::int64_t k = 0; k < a.shape.vectors * lanes<Real>; k += lanes<Real>) {
        const Real* const first = a.now[rate_row] + k;
        const Real* const second = a.now[rate_row + 1] + k;
        Vector<Real> sum;
        collect(first, second, up, up + 1, a.grid.plus_direction, sum);
        at(a.ring[slot + up_row] + k) = sum;
        collect(first, second, -down, -down - 1, a.grid.minus_direction, sum);
        at(a.ring[slot + down_row] + k) = sum;
        collect(a.now[by_plus_row] + k, a.now[by_plus_row + 1] + k, up, up + 1, up_squares, sum);
        at(a.ring[slot + up_by_row] + k) = sum;
        collect(a.now[by_minus_row] + k, a.now[by_minus_row + 1] + k, -down, -down - 1,
                down_squares, sum);
        at(a.ring[slot + down_by_row] + k) = sum;
    }
}

/// Returns the first row that a frequency keeps, or the row of zeros for one below the first.
template <class Real>
TRADEWIND_INLINE std::int64_t slot_of(const InteractionGrid<Real>& grid, std::int64_t m) {
    const std::int64_t slots = ring_slots(grid);
    return (m < 0 ? slots : m % slots) * ring_rows;
}

/// Adds what a frequency receives from itself and from the frequencies of which it is a partner.
template <class Real>
TRADEWIND_INLINE void gather(const Arguments<Real>& a, std::int64_t m) {
    const InteractionGrid<Real>& g = a.grid;
    const std::int64_t own = slot_of(g, m);
    const std::int64_t from[] = {slot_of(g, m - g.plus_steps), slot_of(g, m - g.plus_steps - 1),
                                 slot_of(g, m - g.minus_steps), slot_of(g, m - g.minus_steps - 1)};
    const Real weights[] = {g.plus_frequency[0], g.plus_frequency[1], g.minus_frequency[0],
                            g.minus_frequency[1]};
    // The derivatives by the partners contain 1 / (1 +- L)^4.
    constexpr auto high = Real(1 / ((1 + shift) * (1 + shift) * (1 + shift) * (1 + shift)));
    constexpr auto low = Real(1 / ((1 - shift) * (1 - shift) * (1 - shift) * (1 - shift)));
    const Real squares[] = {weights[0] * weights[0] * high, weights[1] * weights[1] * high,
                            weights[2] * weights[2] * low, weights[3] * weights[3] * low};
    for (std::int64_t k = 0; k < a.shape.vectors * lanes<Real>; k += lanes<Real>) {
        const Vector<Real> up = weights[0] * at(a.ring[from[0] + up_row] + k) +
                                weights[1] * at(a.ring[from[1] + up_row] + k);
        const Vector<Real> down = weights[2] * at(a.ring[from[2] + down_row] + k) +
                                  weights[3] * at(a.ring[from[3] + down_row] + k);
        const Vector<Real> by_up = squares[0] * at(a.ring[from[0] + up_by_row] + k) +
                                   squares[1] * at(a.ring[from[1] + up_by_row] + k);
        const Vector<Real> by_down = squares[2] * at(a.ring[from[2] + down_by_row] + k) +
                                     squares[3] * at(a.ring[from[3] + down_by_row] + k);
        at(a.source[m] + k) = (up + down) - Real(2) * at(a.ring[own + own_row] + k);
        at(a.derivative[m] + k) = (by_up + by_down) - Real(2) * at(a.ring[own + own_by_row] + k);
    }
}

template <class Real>
TRADEWIND_INLINE void all_frequencies(const Arguments<Real>& a) {
    const auto count = std::int64_t(a.interactions.size());
    for (std::int64_t m = 0; m < count; ++m) {
        const Interaction<Real>& interaction = a.interactions[std::size_t(m)];
        const std::int64_t slot = slot_of(a.grid, m);
        find_partners(a, interaction);
        compute_rates(a, interaction, slot);
        spread_rates(a, slot);
        if (m + a.grid.minus_steps >= 0) gather(a, m + a.grid.minus_steps);
    }
}

TRADEWIND_CLONES
void run(const Arguments<float>& a) {
    all_frequencies(a);
}
TRADEWIND_CLONES
void run(const Arguments<double>& a) {
    all_frequencies(a);
}

}  // namespace

std::int64_t interaction_reach(const SpectralGrid& spectrum) {
    return std::int64_t(partner_angles().minus / spectrum.sector()) + 1;
}

template <class Real>
Dia<Real>::Dia(const SpectralGrid& spectrum, const RowShape& shape)
    : grid_(interaction_grid<Real>(spectrum)),
      now_(shape, now_rows),
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

#include "tradewind/models/fvwam/sources/dia.hpp"

#include <algorithm>
#include <cmath>

#include "tradewind/models/fvwam/sources/dia_kernels.hpp"

namespace tradewind::fvwam {

namespace {

constexpr double strength = 3000.0;

/// The angles of the partners in rad, from the resonance of deep water.
struct Angles {
    double plus;
    double minus;
};
[[nodiscard]] Angles partner_angles() {
    const double high = 1 + frequency_shift;
    const double low = 1 - frequency_shift;
    const double cosine =
        (1 + 2 * frequency_shift + 2 * frequency_shift * frequency_shift * frequency_shift) /
        (high * high);
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
    grid.plus_steps = steps(1 + frequency_shift);
    grid.minus_steps = steps(1 - frequency_shift);
    const double up = second(1 + frequency_shift, grid.plus_steps);
    const double down = second(1 - frequency_shift, grid.minus_steps);
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
            Real(double(grid.plus_frequency[i]) * up.level / std::pow(1 + frequency_shift, 4));
        found.minus_weight[i] =
            Real(double(grid.minus_frequency[i]) * down.level / std::pow(1 - frequency_shift, 4));
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
    compute_interactions({waves.shape(), grid_, interactions_, Real(factor), waves[0], now_[0],
                          ring_[0], source[0], derivative[0]});
}

double shallow_factor(double mean_wave_number, double depth) {
    const double x = std::max(0.75 * mean_wave_number * depth, 0.5);
    if (x > 20) return 1.0;
    return 1 + 5.5 / x * (1 - 0.833 * x) * exponential_of(-1.25 * x);
}

template class Dia<float>;
template class Dia<double>;

}  // namespace tradewind::fvwam

#include "tradewind/models/fvwam/sources/integrals.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tradewind/models/fvwam/sources/moments.hpp"

namespace tradewind::fvwam {

namespace {

/// Integrals of a spectrum: over directions for each frequency, in m2 s, and over all frequencies
/// with the unit vector of the direction, in m2, without the tail.
struct Integrals {
    std::vector<double> frequencies;
    double all = 0.0;
    double east = 0.0;
    double north = 0.0;
};

template <class Real>
[[nodiscard]] Integrals integrals_of(const SpectralGrid& spectrum, const Real* values) {
    Integrals sum;
    for (std::int64_t m = 0; m < spectrum.frequencies(); ++m) {
        double all = 0.0;
        double east = 0.0;
        double north = 0.0;
        for (std::int64_t k = 0; k < spectrum.directions(); ++k) {
            const auto value = double(values[m * spectrum.directions() + k]);
            all += value;
            east += value * spectrum.east(k);
            north += value * spectrum.north(k);
        }
        const double area = spectrum.bandwidth(m) * spectrum.sector();
        sum.frequencies.push_back(all * spectrum.sector());
        sum.all += all * area;
        sum.east += east * area;
        sum.north += north * area;
    }
    return sum;
}

/// Returns the frequency of the highest value of a parabola in ln f through three frequencies.
[[nodiscard]] double peak_frequency(const SpectralGrid& spectrum,
                                    const std::vector<double>& values) {
    const auto highest = std::max_element(values.begin(), values.end());
    const std::int64_t m = highest - values.begin();
    if (m == 0 || m + 1 == spectrum.frequencies()) return spectrum.frequency(m);
    const double below = *(highest - 1);
    const double above = *(highest + 1);
    const double bend = below - 2 * *highest + above;
    const double place = bend < 0 ? 0.5 * (below - above) / bend : 0.0;
    return spectrum.frequency(m) * std::pow(spectrum.ratio(), place);
}

}  // namespace

template <class Real>
SeaState sea_state(const SpectralGrid& spectrum, const Real* values) {
    const Integrals sum = integrals_of(spectrum, values);
    const Moments moments(spectrum);
    const double* const frequencies = sum.frequencies.data();
    const double energy = moments.energy(frequencies);
    if (!(energy > 0) || !(sum.all > 0)) return {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    SeaState state;
    state.significant_height = 4 * std::sqrt(energy);
    state.mean_period = 1 / moments.mean_frequency(frequencies);
    state.zero_crossing_period = std::sqrt(energy / moments.second(frequencies));
    state.peak_period = 1 / peak_frequency(spectrum, sum.frequencies);
    const double direction = std::atan2(sum.east, sum.north);
    state.mean_direction = direction < 0 ? direction + 2 * std::numbers::pi : direction;
    const double length = std::sqrt(sum.east * sum.east + sum.north * sum.north) / sum.all;
    state.spread = std::sqrt(std::max(2 * (1 - length), 0.0));
    return state;
}

template SeaState sea_state(const SpectralGrid&, const float*);
template SeaState sea_state(const SpectralGrid&, const double*);

}  // namespace tradewind::fvwam

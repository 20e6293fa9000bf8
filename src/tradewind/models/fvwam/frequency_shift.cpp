/// The ways over the edges of bands, and the kernel.
#include "tradewind/models/fvwam/frequency_shift.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tradewind/models/spectral/lanes.hpp"

namespace tradewind::fvwam {

namespace {

/// The largest Courant number, below 1/2 by more than rounding.
constexpr double largest_number = 0.49;

/// Returns the limited difference of van Leer: the harmonic mean of two of equal sign, or 0.
template <class Real>
TRADEWIND_INLINE Real limited(Real behind, Real ahead) {
    const Real product = behind * ahead;
    const Real sum = behind + ahead;
    return product > 0 ? 2 * product / sum : Real(0);
}

/// Sets the flux over the edge below band `edge`. Bands have the number of the edge below them.
template <class Real>
TRADEWIND_INLINE void set_flux(const ShiftedBands<Real>& bands, std::int64_t edge) {
    const Real way = bands.way[edge];
    const bool is_upwards = way > 0;
    const std::int64_t from = is_upwards ? edge - 1 : edge;
    const std::int64_t to = is_upwards ? edge : edge - 1;
    const std::int64_t before = 2 * from - to;
    const std::int64_t last = bands.frequencies - 1;
    const std::int64_t directions = bands.directions;
    Real* const __restrict flux = bands.flux + edge * directions;
    if (from < 0 || from > last) {
        std::fill_n(flux, directions, Real(0));
        return;
    }
    const Real* const upwind = bands.action + from * directions;
    if (std::min(to, before) < 0 || std::max(to, before) > last) {
        for (std::int64_t k = 0; k < directions; ++k) flux[k] = way * upwind[k];
        return;
    }
    const Real* const downwind = bands.action + to * directions;
    const Real* const behind = bands.action + before * directions;
    const Real number = std::abs(way) * bands.inverse_width[from];
    const Real half = Real(0.5) * (1 - number);
    for (std::int64_t k = 0; k < directions; ++k) {
        const Real bend = limited(upwind[k] - behind[k], downwind[k] - upwind[k]);
        flux[k] = way * (upwind[k] + half * bend);
    }
}

template <class Real>
TRADEWIND_INLINE void shift(const ShiftedBands<Real>& bands, Real* __restrict values) {
    const std::int64_t directions = bands.directions;
    for (std::int64_t m = 0; m < bands.frequencies; ++m) {
        const Real scale = bands.to_action[m];
        for (std::int64_t n = m * directions; n < (m + 1) * directions; ++n)
            bands.action[n] = values[n] * scale;
    }
    for (std::int64_t edge = 0; edge <= bands.frequencies; ++edge) set_flux(bands, edge);
    for (std::int64_t m = 0; m < bands.frequencies; ++m) {
        const Real scale = bands.from_action[m];
        for (std::int64_t n = m * directions; n < (m + 1) * directions; ++n)
            values[n] -= scale * (bands.flux[n + directions] - bands.flux[n]);
    }
}

// Only functions that are no templates can be compiled for several processors.
TRADEWIND_CLONES void shift_bands(const ShiftedBands<float>& bands, float* values) {
    shift(bands, values);
}
TRADEWIND_CLONES void shift_bands(const ShiftedBands<double>& bands, double* values) {
    shift(bands, values);
}

}  // namespace

template <class Real>
FrequencyShift<Real>::FrequencyShift(const SpectralGrid& spectrum)
    : directions_(spectrum.directions()),
      frequencies_(spectrum.frequencies()),
      way_(std::size_t(frequencies_ + 1)),
      action_(std::size_t(spectrum.size())),
      flux_(std::size_t(spectrum.size() + directions_)) {
    for (std::int64_t m = 0; m < frequencies_; ++m) {
        width_.push_back(spectrum.bandwidth(m));
        to_action_.push_back(Real(1 / spectrum.angular(m)));
        from_action_.push_back(Real(spectrum.angular(m) / width_.back()));
        inverse_width_.push_back(Real(1 / width_.back()));
    }
}

/// Sets the ways of a part of the change and returns the number of parts; 0 where waves do not feel
/// the bottom.
template <class Real>
std::int64_t FrequencyShift<Real>::set_ways(const WaterColumn<Real>& water, double rise) {
    const auto way_at = [&](std::int64_t m) {
        return double(water.turning[m]) * double(water.wave_number[m]) * rise /
               (2 * std::numbers::pi);
    };
    double fastest = 0.0;
    std::vector<double> ways;
    for (std::int64_t edge = 0; edge <= frequencies_; ++edge) {
        const std::int64_t below = std::max<std::int64_t>(edge - 1, 0);
        const std::int64_t above = std::min(edge, frequencies_ - 1);
        ways.push_back(0.5 * (way_at(below) + way_at(above)));
        const std::int64_t from = rise > 0 ? below : above;
        fastest = std::max(fastest, std::abs(ways.back()) / width_[std::size_t(from)]);
    }
    if (!(fastest > 0)) return 0;
    const double parts = std::ceil(fastest / largest_number);
    for (std::size_t edge = 0; edge < way_.size(); ++edge) way_[edge] = Real(ways[edge] / parts);
    return std::int64_t(parts);
}

template <class Real>
void FrequencyShift<Real>::apply(const WaterColumn<Real>& water, double rise, Real* values) {
    const std::int64_t parts = set_ways(water, rise);
    const ShiftedBands<Real> bands{directions_,       frequencies_,        way_.data(),
                                   to_action_.data(), from_action_.data(), inverse_width_.data(),
                                   action_.data(),    flux_.data()};
    for (std::int64_t part = 0; part < parts; ++part) shift_bands(bands, values);
}

template class FrequencyShift<float>;
template class FrequencyShift<double>;

}  // namespace tradewind::fvwam

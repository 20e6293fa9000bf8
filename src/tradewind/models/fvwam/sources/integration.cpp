#include "tradewind/models/fvwam/sources/integration.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tradewind/models/fvwam/sources/initial_spectrum.hpp"

namespace tradewind::fvwam {

namespace {

/// The wind speeds of the table of floors, in m/s.
constexpr double speed_step = 0.25;
constexpr std::int64_t speeds = 400;

/// The arguments of the kernel.
template <class Real>
struct UpdateArguments {
    const RowShape& shape;
    const UpdateRows<Real>& rows;
    const UpdateNumbers<Real>& numbers;
    Real time_step;
    Rows<Real>& waves;
    UpdateSums& sums;
};

/// The rows and numbers of one frequency, local in the loop over directions.
template <class Real>
struct UpdatedFrequency {
    TRADEWIND_INLINE UpdatedFrequency(const UpdateArguments<Real>& a, std::int64_t m)
        : waves(a.waves[m]),
          rates(a.rows.rates[m]),
          sources(a.rows.source[m]),
          derivatives(a.rows.derivative[m]),
          spreading(a.rows.spreading),
          time_step(a.time_step),
          whitecapping(a.numbers.whitecapping[std::size_t(m)]),
          remaining(a.numbers.remaining[std::size_t(m)]),
          largest(a.numbers.largest[std::size_t(m)]),
          floor(a.numbers.floor[m]) {}

    Real* waves;
    const Real* rates;
    const Real* sources;
    const Real* derivatives;
    const Real* spreading;
    Real time_step;
    Real whitecapping;
    Real remaining;
    Real largest;
    Real floor;
};

/// Computes the spectrum after the step in one vector.
template <class Real>
TRADEWIND_INLINE void step(const UpdatedFrequency<Real>& f, std::int64_t k, Vector<Real>& result) {
    const Vector<Real> waves = at(f.waves + k);
    const Vector<Real> rate = at(f.rates + k) - f.whitecapping;
    const Vector<Real> source = at(f.sources + k) + rate * waves;
    const Vector<Real> implicit = Real(1) - f.time_step * (at(f.derivatives + k) + rate);
    const Vector<Real> one = Vector<Real>{} + Real(1);
    const Vector<Real> free = f.time_step * source / (implicit > Real(1) ? implicit : one);
    const Vector<Real> most = Vector<Real>{} + f.largest;
    const Vector<Real> below = free < most ? free : most;
    const Vector<Real> change = below > -most ? below : -most;
    const Vector<Real> damped = (waves + change) * f.remaining;
    const Vector<Real> least = f.floor * at(f.spreading + k);
    result = damped > least ? damped : least;
}

template <class Real>
TRADEWIND_INLINE void step_rows(const UpdateArguments<Real>& a) {
    const std::int64_t rest = a.shape.directions % lanes<Real>;
    const std::int64_t whole = a.shape.directions - rest;
    // Selects the directions in the last vector if it has padding.
    Real directions[lanes<Real>];
    for (std::int64_t n = 0; n < lanes<Real>; ++n) directions[n] = n < rest ? Real(1) : Real(0);
    const Vector<Real> is_direction = at(directions);
    const std::int64_t frequencies = a.shape.frequencies;
    double* const all_sums = a.sums.all.data();
    double* const wind_sea_sums = a.sums.wind_sea.data();
    for (std::int64_t m = 0; m < frequencies; ++m) {
        const UpdatedFrequency<Real> f(a, m);
        Vector<Real> all{};
        Vector<Real> wind_sea{};
        Vector<Real> waves;
        for (std::int64_t k = 0; k < whole; k += lanes<Real>) {
            step<Real>(f, k, waves);
            at(f.waves + k) = waves;
            all += waves;
            wind_sea += at(f.rates + k) > Real(0) ? waves : Vector<Real>{};
        }
        if (rest > 0) {
            step<Real>(f, whole, waves);
            waves *= is_direction;
            at(f.waves + whole) = waves;
            all += waves;
            wind_sea += at(f.rates + whole) > Real(0) ? waves : Vector<Real>{};
        }
        all_sums[m] = double(total<Real>(all));
        wind_sea_sums[m] = double(total<Real>(wind_sea));
    }
}

TRADEWIND_CLONES
void run(const UpdateArguments<float>& a) {
    step_rows(a);
}
TRADEWIND_CLONES
void run(const UpdateArguments<double>& a) {
    step_rows(a);
}

}  // namespace

template <class Real>
Integration<Real>::Integration(const SpectralGrid& spectrum, double time_step)
    : time_step_(time_step) {
    constexpr double share = 0.01;
    const std::int64_t n = spectrum.frequencies();
    const double half = std::sqrt(spectrum.ratio());
    for (std::int64_t m = 0; m < n; ++m) {
        const double f = spectrum.frequency(m);
        frequency_.push_back(f);
        boundary_.push_back(f * half);
        limit_.push_back(5e-7 * gravity / (f * f * f * f) * time_step);
    }
    for (std::int64_t i = 0; i < speeds; ++i) {
        const JonswapShape shape =
            jonswap_shape(double(i) * speed_step, default_fetch, frequency_.back());
        for (const double f : frequency_)
            floor_.push_back(i == 0 ? Real(0) : Real(share * jonswap(shape, f)));
    }
}

template <class Real>
const Real* Integration<Real>::floor(double speed) const {
    const auto place = std::int64_t(speed / speed_step + 0.5);
    return floor_.data() + std::min(place, speeds - 1) * std::int64_t(frequency_.size());
}

template <class Real>
void Integration<Real>::limit(double friction_velocity, double frequency,
                              std::vector<Real>& largest) const {
    const double factor = friction_velocity * frequency;
    for (std::size_t m = 0; m < largest.size(); ++m) largest[m] = Real(limit_[m] * factor);
}

template <class Real>
std::int64_t Integration<Real>::cut_off(double frequency, double friction_velocity) const {
    // 28 u* is the phase velocity of the peak of Pierson and Moskowitz.
    const double peak = gravity / (28 * 2 * std::numbers::pi * std::max(friction_velocity, 1e-6));
    const double last = std::max(2.5 * frequency, 3 * peak);
    const auto found = std::lower_bound(boundary_.begin(), boundary_.end(), last);
    return std::min(found - boundary_.begin(), std::int64_t(boundary_.size()) - 1);
}

template <class Real>
void Integration<Real>::update(const UpdateRows<Real>& rows, const UpdateNumbers<Real>& numbers,
                               Rows<Real>& waves, UpdateSums& sums) const {
    run({waves.shape(), rows, numbers, Real(time_step_), waves, sums});
}

template <class Real>
void Integration<Real>::set_tail(std::int64_t cut_off, const WaterColumn<Real>& water,
                                 Rows<Real>& waves) const {
    const auto level = [&](std::int64_t m) {
        const double k = double(water.wave_number[m]);
        return 1 / (k * k * k * double(water.group_velocity[m]));
    };
    const RowShape& shape = waves.shape();
    const Real* const last = waves[cut_off];
    for (std::int64_t m = cut_off + 1; m < shape.frequencies; ++m) {
        const auto factor = Real(level(m) / level(cut_off));
        Real* const row = waves[m];
        for (std::int64_t k = -shape.halo; k < shape.stride - shape.halo; k += lanes<Real>)
            at(row + k) = factor * at(last + k);
    }
}

template class Integration<float>;
template class Integration<double>;

}  // namespace tradewind::fvwam

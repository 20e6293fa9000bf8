#include "tradewind/models/fvwam/sources/moments.hpp"

#include <cmath>
#include <numbers>

namespace tradewind::fvwam {

namespace {

/// Below this variance in m2 a spectrum counts as empty.
constexpr double least_energy = 1e-20;

}  // namespace

Moments::Moments(const SpectralGrid& spectrum) {
    const std::int64_t n = spectrum.frequencies();
    last_ = spectrum.frequency(n - 1);
    for (std::int64_t m = 0; m < n; ++m) {
        const double f = spectrum.frequency(m);
        const double band = spectrum.bandwidth(m);
        bandwidth_.push_back(band);
        plain_.push_back(band);
        inverse_.push_back(band / f);
        first_.push_back(band * f);
        second_.push_back(band * f * f);
    }
    plain_.back() += last_ / 4;
    inverse_.back() += 1.0 / 5;
    first_.back() += last_ * last_ / 3;
    second_.back() += last_ * last_ * last_ / 2;
}

double Moments::sum(const std::vector<double>& weights, const double* spectrum) const {
    double all = 0.0;
    for (std::size_t m = 0; m < weights.size(); ++m) all += weights[m] * spectrum[m];
    return all;
}

double Moments::energy(const double* spectrum) const {
    return sum(plain_, spectrum);
}

double Moments::mean_frequency(const double* spectrum) const {
    const double all = energy(spectrum);
    return all > least_energy ? all / sum(inverse_, spectrum) : 0.0;
}

double Moments::second(const double* spectrum) const {
    return sum(second_, spectrum);
}

template <class Real>
Means Moments::means(const double* spectrum, const WaterColumn<Real>& water) const {
    const std::size_t n = bandwidth_.size();
    double inverse = 0.0;
    double upper = 0.0;
    for (std::size_t m = 0; m < n; ++m) {
        const double root = std::sqrt(double(water.wave_number[m]));
        const double part = bandwidth_[m] * spectrum[m];
        inverse += part / root;
        upper += part * root;
    }
    // The waves of the tail are short, so that their wave number is that of deep water.
    const double deep = 2 * std::numbers::pi / std::sqrt(gravity);
    inverse += spectrum[n - 1] / (5 * deep);
    upper += spectrum[n - 1] * last_ * last_ * deep / 3;
    const double all = energy(spectrum);
    if (all <= least_energy)
        return {0.0, last_, last_, deep * last_ * deep * last_, deep * last_ * deep * last_};
    const double low = all / inverse;
    const double high = upper / all;
    return {all, all / sum(inverse_, spectrum), sum(first_, spectrum) / all, low * low,
            high * high};
}

template Means Moments::means(const double*, const WaterColumn<float>&) const;
template Means Moments::means(const double*, const WaterColumn<double>&) const;

}  // namespace tradewind::fvwam

#include "tradewind/models/fvwam/dispersion.hpp"

#include <algorithm>
#include <cmath>

namespace tradewind::fvwam {

namespace {

/// Above this k d a wave does not feel the bottom: sinh(2 k d) > 1e17.
constexpr double deep = 20.0;
constexpr int most_iterations = 50;

/// Returns 2 k d / sinh(2 k d).
[[nodiscard]] double shallowness(double kd) {
    return kd > deep ? 0.0 : 2 * kd / std::sinh(2 * kd);
}

}  // namespace

double wave_number(double angular, double depth) {
    const double deep_kd = angular * angular * depth / gravity;
    if (deep_kd > deep) return angular * angular / gravity;
    // Newton's method for x tanh x = deep_kd from the approximation of Eckart.
    double kd = deep_kd / std::sqrt(std::tanh(deep_kd));
    for (int i = 0; i < most_iterations; ++i) {
        const double tanh = std::tanh(kd);
        const double change = (kd * tanh - deep_kd) / (tanh + kd * (1 - tanh * tanh));
        kd -= change;
        if (std::abs(change) <= 1e-15 * kd) break;
    }
    return kd / depth;
}

double group_velocity(double angular, double depth) {
    const double k = wave_number(angular, depth);
    return 0.5 * angular / k * (1 + shallowness(k * depth));
}

template <class Real>
DepthTable<Real>::DepthTable(const SpectralGrid& spectrum, double ratio)
    : ratio_(ratio), frequencies_(spectrum.frequencies()) {
    for (double depth = smallest_depth; depth < largest_depth * ratio; depth *= ratio)
        depths_.push_back(depth);
    values_.reserve(depths_.size() * std::size_t(quantities * frequencies_));
    for (const double depth : depths_) {
        std::vector<double> k;
        for (std::int64_t m = 0; m < frequencies_; ++m)
            k.push_back(fvwam::wave_number(spectrum.angular(m), depth));
        for (std::int64_t m = 0; m < frequencies_; ++m) values_.push_back(Real(k[std::size_t(m)]));
        for (std::int64_t m = 0; m < frequencies_; ++m)
            values_.push_back(Real(fvwam::group_velocity(spectrum.angular(m), depth)));
        const auto share = [&](std::int64_t m) {
            const double kd = k[std::size_t(m)] * depth;
            return shallowness(kd) / (2 * kd);
        };
        for (std::int64_t m = 0; m < frequencies_; ++m)
            values_.push_back(Real(spectrum.angular(m) * share(m)));
        for (std::int64_t m = 0; m < frequencies_; ++m)
            values_.push_back(Real(k[std::size_t(m)] * share(m)));
    }
}

template <class Real>
std::int32_t DepthTable<Real>::bin(double depth) const {
    const double place = std::log(std::max(depth, smallest_depth) / smallest_depth);
    return std::min(std::int32_t(std::lround(place / std::log(ratio_))), bins() - 1);
}

template <class Real>
WaterColumn<Real> DepthTable<Real>::column(std::int32_t bin) const {
    const Real* const first = values_.data() + std::int64_t(bin) * quantities * frequencies_;
    return {depths_[std::size_t(bin)], first, first + frequencies_, first + 2 * frequencies_,
            first + 3 * frequencies_};
}

template class DepthTable<float>;
template class DepthTable<double>;

}  // namespace tradewind::fvwam

#include "tradewind/models/fvwam/sources/initial_spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tradewind::fvwam {

JonswapShape jonswap_shape(double speed, double fetch, double highest) {
    if (speed <= 0) return {highest, 0.0081};
    const double scale = gravity / speed;
    const double scaled_fetch = scale * fetch / speed;
    const double peak =
        std::min(std::max(0.13, 2.84 * std::pow(scaled_fetch, -0.3)) * scale, highest);
    return {peak, std::max(0.0081, 0.033 * std::pow(peak / scale, 2.0 / 3))};
}

double jonswap(const JonswapShape& shape, double frequency) {
    const double ratio = shape.peak / frequency;
    const double front = 1.25 * std::pow(ratio, 4);
    if (front > 50) return 0.0;
    const double width = frequency > shape.peak ? 0.09 : 0.07;
    const double place = (1 / ratio - 1) / width;
    const double enhancement = std::pow(3.0, std::exp(-0.5 * place * place));
    const double squared = gravity / std::pow(2 * std::numbers::pi, 2);
    return shape.level * squared * squared * std::pow(frequency, -5) * std::exp(-front) *
           enhancement;
}

template <class Real>
void set_jonswap(const SpectralGrid& spectrum, const Wind& wind, double fetch, Real* values) {
    const std::int64_t n = spectrum.directions();
    if (wind.speed <= 0) {
        std::fill_n(values, spectrum.size(), Real(0));
        return;
    }
    const JonswapShape shape =
        jonswap_shape(wind.speed, fetch, spectrum.frequency(spectrum.frequencies() - 1));
    for (std::int64_t m = 0; m < spectrum.frequencies(); ++m) {
        const double level = jonswap(shape, spectrum.frequency(m)) * 2 / std::numbers::pi;
        for (std::int64_t k = 0; k < n; ++k) {
            const double cosine = std::max(std::cos(spectrum.direction(k) - wind.direction), 0.0);
            values[m * n + k] = Real(level * cosine * cosine);
        }
    }
}

template void set_jonswap(const SpectralGrid&, const Wind&, double, float*);
template void set_jonswap(const SpectralGrid&, const Wind&, double, double*);

}  // namespace tradewind::fvwam

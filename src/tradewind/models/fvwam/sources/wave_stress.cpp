#include "tradewind/models/fvwam/sources/wave_stress.hpp"

#include <algorithm>
#include <cmath>

namespace tradewind::fvwam {

namespace {

/// The least difference between the stress and that of waves, in m2/s2.
constexpr double least_difference = 1e-5;

}  // namespace

template <class Real>
double wave_stress(const SpectralGrid& spectrum, const WindInput<Real>& input,
                   const Rows<Real>& waves, const WaterColumn<Real>& water, const AirFlow& air,
                   std::int64_t cut_off) {
    const double log_ratio = logarithm_of(spectrum.ratio());
    double east = 0.0;
    double north = 0.0;
    for (std::int64_t m = 0; m <= cut_off; ++m) {
        // The trapezoidal rule in ln f.
        const double f = spectrum.frequency(m);
        const double band = (m == 0 || m == cut_off ? 0.5 : 1.0) * log_ratio * f;
        const double slowness = double(water.wave_number[m]) / spectrum.angular(m);
        east += band * slowness * input.sums().east[std::size_t(m)];
        north += band * slowness * input.sums().north[std::size_t(m)];
    }
    const double scale = water_density * gravity / air_density * spectrum.sector();
    const double f = spectrum.frequency(cut_off);
    const double squared = spectrum.angular(cut_off) * spectrum.angular(cut_off) / gravity;
    const double level = squared * squared * f * input.along_wind(waves[cut_off]);
    const double stress = air.friction_velocity * air.friction_velocity;
    const double tail = level * stress * high_frequency_stress(air, spectrum.angular(cut_off));
    const double all_east = scale * east + tail * input.wind_east();
    const double all_north = scale * north + tail * input.wind_north();
    const double all = std::sqrt(all_east * all_east + all_north * all_north);
    return std::max(std::min(all, stress - least_difference), 0.0);
}

template double wave_stress(const SpectralGrid&, const WindInput<float>&, const Rows<float>&,
                            const WaterColumn<float>&, const AirFlow&, std::int64_t);
template double wave_stress(const SpectralGrid&, const WindInput<double>&, const Rows<double>&,
                            const WaterColumn<double>&, const AirFlow&, std::int64_t);

}  // namespace tradewind::fvwam

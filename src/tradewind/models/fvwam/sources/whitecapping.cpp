#include "tradewind/models/fvwam/sources/whitecapping.hpp"

#include <numbers>

namespace tradewind::fvwam {

namespace {

constexpr double full_turn = 2 * std::numbers::pi;

}  // namespace

template <class Real>
void whitecapping(Physics physics, const Means& means, const WaterColumn<Real>& water,
                  std::vector<Real>& coefficients) {
    if (physics == Physics::wam4) {
        const double steepness = means.energy * means.upper_wave_number * means.upper_wave_number;
        const double scale = 1.33 * full_turn * means.upper_frequency * steepness * steepness;
        for (std::size_t m = 0; m < coefficients.size(); ++m) {
            const double ratio = double(water.wave_number[m]) / means.upper_wave_number;
            coefficients[m] = Real(scale * (0.5 * ratio + 0.5 * ratio * ratio));
        }
        return;
    }
    const double steepness = means.energy * means.wave_number * means.wave_number / 3.02e-3;
    const double scale = 2.36e-5 * full_turn * means.frequency * steepness * steepness;
    for (std::size_t m = 0; m < coefficients.size(); ++m)
        coefficients[m] = Real(scale * double(water.wave_number[m]) / means.wave_number);
}

template void whitecapping(Physics, const Means&, const WaterColumn<float>&, std::vector<float>&);
template void whitecapping(Physics, const Means&, const WaterColumn<double>&, std::vector<double>&);

}  // namespace tradewind::fvwam

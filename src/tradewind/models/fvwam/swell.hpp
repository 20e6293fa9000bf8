/// The patch of swell that a run can begin with.
#pragma once

#include <algorithm>
#include <cmath>

#include "tradewind/models/fvwam/forcing/great_circle.hpp"
#include "tradewind/models/fvwam/plan.hpp"

namespace tradewind::fvwam {

/// Sets the spectrum of a place: the energy falls like exp(-(distance / radius)^2), and is divided
/// between the two nearest directions and the two nearest frequencies.
template <class Real>
void set_swell(const SpectralGrid& spectrum, const Swell& swell, const GeographicPoint& place,
               Real* values) {
    const double distance = distance_between(place, swell.center) / swell.radius;
    const double energy = swell.height * swell.height / 16 * std::exp(-distance * distance);
    const double sectors = swell.direction / spectrum.sector() - 0.5;
    const double low = std::floor(sectors);
    const auto direction = [&](double sector) {
        const double count = double(spectrum.directions());
        return std::int64_t(sector - count * std::floor(sector / count));
    };
    const double frequency =
        std::log(1 / (swell.period * spectrum.frequency(0))) / std::log(spectrum.ratio());
    const double last = double(spectrum.frequencies() - 1);
    const double band = std::clamp(std::floor(frequency), 0.0, std::max(last - 1, 0.0));
    const double upper = std::clamp(frequency - band, 0.0, last > 0 ? 1.0 : 0.0);
    const double along = sectors - low;
    for (const double m : {band, band + 1}) {
        const double of_band = m == band ? 1 - upper : upper;
        if (of_band == 0) break;
        for (const double k : {low, low + 1}) {
            const double share = of_band * (k == low ? 1 - along : along);
            const double width = spectrum.bandwidth(std::int64_t(m)) * spectrum.sector();
            values[std::int64_t(m) * spectrum.directions() + direction(k)] +=
                Real(energy * share / width);
        }
    }
}

}  // namespace tradewind::fvwam

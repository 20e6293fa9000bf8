#include "tradewind/models/fvwam/sources/source_terms.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "tradewind/base/errors.hpp"
#include "tradewind/models/fvwam/sources/bottom_friction.hpp"
#include "tradewind/models/fvwam/sources/breaking.hpp"
#include "tradewind/models/fvwam/sources/dia.hpp"
#include "tradewind/models/fvwam/sources/integration.hpp"
#include "tradewind/models/fvwam/sources/spectrum_rows.hpp"
#include "tradewind/models/fvwam/sources/wave_stress.hpp"
#include "tradewind/models/fvwam/sources/whitecapping.hpp"
#include "tradewind/models/fvwam/sources/wind_input.hpp"

namespace tradewind::fvwam {

namespace {

constexpr std::int64_t fewest_directions = 12;
constexpr std::int64_t fewest_frequencies = 8;

/// Checks the grid before tables are made of it.
const SpectralGrid& checked(const SpectralGrid& spectrum, double time_step) {
    check_source_spectrum(spectrum);
    if (!(time_step > 0))
        throw ConfigError(
            text("fvwam: the time step of source terms must be positive, not ", time_step, " s"));
    return spectrum;
}

}  // namespace

void check_source_spectrum(const SpectralGrid& spectrum) {
    if (spectrum.directions() < fewest_directions || spectrum.frequencies() < fewest_frequencies)
        throw ConfigError(text("fvwam: source terms need at least ", fewest_directions,
                               " directions and ", fewest_frequencies, " frequencies, not ",
                               spectrum.directions(), " and ", spectrum.frequencies()));
}

/// Tables and work memory.
template <class Real>
struct SourceTerms<Real>::Work {
    Work(const SpectralGrid& grid, Physics choice, double time_step, double drag)
        : spectrum(checked(grid, time_step)),
          physics(choice),
          largest_drag(drag),
          shape(row_shape<Real>(spectrum, interaction_reach(spectrum))),
          moments(spectrum),
          input(spectrum, shape, physics),
          dia(spectrum, shape),
          integration(spectrum, time_step),
          waves(shape, shape.frequencies),
          source(shape, shape.frequencies),
          derivative(shape, shape.frequencies),
          over_directions(std::size_t(shape.frequencies)),
          numbers(shape.frequencies),
          sums(shape.frequencies) {}

    [[nodiscard]] Means read(const Real* values, const WaterColumn<Real>& water);
    [[nodiscard]] double force(const WaterColumn<Real>& water, const Wind& wind, double frequency,
                               Roughness<Real>& roughness);
    [[nodiscard]] std::int64_t cut_off(double frequency, const std::vector<double>& wind_sea,
                                       double friction_velocity, double& larger) const;
    void damp(const WaterColumn<Real>& water, const Means& means);

    SpectralGrid spectrum;
    Physics physics;
    double largest_drag;
    RowShape shape;
    Moments moments;
    WindInput<Real> input;
    Dia<Real> dia;
    Integration<Real> integration;
    Rows<Real> waves;
    Rows<Real> source;
    Rows<Real> derivative;
    /// The spectrum integrated over directions in m2 s.
    std::vector<double> over_directions;
    UpdateNumbers<Real> numbers;
    UpdateSums sums;
};

/// Copies the spectrum, with no more energy than the depth allows, and returns its mean values.
template <class Real>
Means SourceTerms<Real>::Work::read(const Real* values, const WaterColumn<Real>& water) {
    read_spectrum(values, waves, over_directions);
    for (double& sum : over_directions) sum *= spectrum.sector();
    const double energy = moments.energy(over_directions.data());
    const double most = largest_energy(water.depth);
    if (energy > most) {
        scale_rows(waves, most / energy);
        for (double& sum : over_directions) sum *= most / energy;
    }
    return moments.means(over_directions.data(), water);
}

/// Returns the last frequency that is predicted, and the larger one of the mean frequencies of all
/// waves and of the wind sea.
template <class Real>
std::int64_t SourceTerms<Real>::Work::cut_off(double frequency, const std::vector<double>& wind_sea,
                                              double friction_velocity, double& larger) const {
    larger = std::max(frequency, moments.mean_frequency(wind_sea.data()));
    return integration.cut_off(larger, friction_velocity);
}

/// Computes wind stress and input, and sets the tail. Returns the larger mean frequency.
template <class Real>
double SourceTerms<Real>::Work::force(const WaterColumn<Real>& water, const Wind& wind,
                                      double frequency, Roughness<Real>& roughness) {
    input.turn(wind.direction);
    const auto flow = [&](double wave_stress) {
        const AirFlow air = physics == Physics::wam4
                                ? air_flow(wind.speed, wave_stress)
                                : AirFlow{simple_friction_velocity(wind.speed), 0.0};
        return with_limited_drag(air, wind.speed, largest_drag);
    };
    double stress = 0.0;
    AirFlow air = flow(double(roughness.wave_stress));
    input.evaluate(waves, water, air);
    double larger = 0.0;
    const std::int64_t last =
        cut_off(frequency, input.sums().wind_sea, air.friction_velocity, larger);
    if (physics == Physics::wam4) {
        stress = wave_stress(spectrum, input, waves, water, air, last);
        air = flow(stress);
    }
    integration.set_tail(last, water, waves);
    // The rates of Snyder would be the same again.
    if (physics == Physics::wam4) {
        input.evaluate(waves, water, air);
        stress = wave_stress(spectrum, input, waves, water, air, last);
    }
    roughness = {Real(stress), Real(air.friction_velocity), Real(air.roughness)};
    return larger;
}

/// Computes the coefficients of whitecapping, and what bottom and breaking leave in a step.
template <class Real>
void SourceTerms<Real>::Work::damp(const WaterColumn<Real>& water, const Means& means) {
    whitecapping(physics, means, water, numbers.whitecapping);
    const double broken = breaking(means.energy, means.frequency, water.depth);
    for (std::int64_t m = 0; m < shape.frequencies; ++m) {
        const double rate = broken + bottom_friction(water, m);
        const double exponent = std::min(rate * integration.time_step(), 80.0);
        numbers.remaining[std::size_t(m)] =
            exponent > 0 ? Real(exponential_of(-exponent)) : Real(1);
    }
}

template <class Real>
SourceTerms<Real>::SourceTerms(const SpectralGrid& spectrum, Physics physics, double time_step,
                               double largest_drag)
    : work_(std::make_unique<Work>(spectrum, physics, time_step, largest_drag)) {}
template <class Real>
SourceTerms<Real>::~SourceTerms() = default;
template <class Real>
SourceTerms<Real>::SourceTerms(SourceTerms&&) noexcept = default;
template <class Real>
SourceTerms<Real>& SourceTerms<Real>::operator=(SourceTerms&&) noexcept = default;

template <class Real>
void SourceTerms<Real>::advance(Real* values, const WaterColumn<Real>& water, const Wind& wind,
                                Roughness<Real>& roughness) {
    Work& w = *work_;
    const Means means = w.read(values, water);
    const double frequency = w.force(water, wind, means.frequency, roughness);
    w.damp(water, means);
    w.dia.evaluate(w.waves, shallow_factor(means.wave_number, water.depth), w.source, w.derivative);
    const auto velocity = double(roughness.friction_velocity);
    w.integration.limit(velocity, frequency, w.numbers.largest);
    w.numbers.floor = w.integration.floor(wind.speed);
    w.integration.update({w.input.rates(), w.source, w.derivative, w.input.spreading()}, w.numbers,
                         w.waves, w.sums);
    double larger = 0.0;
    const std::int64_t last =
        w.cut_off(w.moments.mean_frequency(w.sums.all.data()), w.sums.wind_sea, velocity, larger);
    w.integration.set_tail(last, water, w.waves);
    write_spectrum(w.waves, values);
}

template class SourceTerms<float>;
template class SourceTerms<double>;

}  // namespace tradewind::fvwam

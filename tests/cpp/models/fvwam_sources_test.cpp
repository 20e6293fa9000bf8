/// The source terms of waves one by one: known values, conservation, symmetry, and limits.
#include "fvwam_waves.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "testing.hpp"
#include "tradewind/base/errors.hpp"
#include "tradewind/models/fvwam/sources/bottom_friction.hpp"
#include "tradewind/models/fvwam/sources/breaking.hpp"
#include "tradewind/models/fvwam/sources/integration.hpp"
#include "tradewind/models/fvwam/sources/wave_stress.hpp"
#include "tradewind/models/fvwam/sources/whitecapping.hpp"

using namespace tradewind;
using namespace tradewind::fvwam;

namespace {

constexpr double full_turn = 2 * std::numbers::pi;
constexpr double density_ratio = air_density / water_density;

/// Checks that two numbers agree, relative to the second one.
bool are_close(double found, double expected, double tolerance) {
    return std::abs(found - expected) <= tolerance * std::abs(expected);
}

/// The rates of growth that the kernel computes in deep water.
template <class Real>
struct Input {
    Input(const SpectralGrid& spectrum, Physics physics, const AirFlow& air)
        : shape(row_shape<Real>(spectrum, 4)),
          table(spectrum, 1.1),
          water(table.column(table.bin(4000))),
          waves(shape, shape.frequencies),
          wind(spectrum, shape, physics) {
        wind.turn(spectrum.direction(0));
        for (std::int64_t m = 0; m < shape.frequencies; ++m)
            std::fill_n(waves[m], shape.directions, Real(1));
        wind.evaluate(waves, water, air);
    }
    [[nodiscard]] double rate(std::int64_t m, std::int64_t k) const {
        return double(wind.rates()[m][k]);
    }

    RowShape shape;
    DepthTable<Real> table;
    WaterColumn<Real> water;
    Rows<Real> waves;
    WindInput<Real> wind;
};

/// A spectrum of one frequency after an update.
struct UpdatedBin {
    double source;
    double derivative;
    double rate;
    double whitecapping;
    double remaining;
    double largest;
    double floor;

    [[nodiscard]] double after(double before) const {
        const SpectralGrid spectrum(24, 25, 0.042, 1.1);
        const RowShape shape = row_shape<double>(spectrum, 4);
        Rows<double> waves(shape, shape.frequencies);
        Rows<double> rates(shape, shape.frequencies);
        Rows<double> sources(shape, shape.frequencies);
        Rows<double> derivatives(shape, shape.frequencies);
        Rows<double> spreading(shape, 1);
        UpdateNumbers<double> numbers(shape.frequencies);
        UpdateSums sums(shape.frequencies);
        const std::vector<double> floors(25, floor);
        numbers.whitecapping[7] = whitecapping;
        numbers.remaining[7] = remaining;
        numbers.largest[7] = largest;
        numbers.floor = floors.data();
        waves[7][5] = before;
        rates[7][5] = rate;
        sources[7][5] = source;
        derivatives[7][5] = derivative;
        spreading[0][5] = 0.5;
        const Integration<double> integration(spectrum, 100.0);
        integration.update({rates, sources, derivatives, spreading[0]}, numbers, waves, sums);
        CHECK(sums.all[7] == waves[7][5]);
        return waves[7][5];
    }
};

}  // namespace

TEST_CASE("exponentials and logarithms agree with those of the library") {
    for (double x = -80; x <= 80; x += 0.37) {
        CHECK(are_close(exponential_of(x), std::exp(x), 5e-16));
        Vector<float> result;
        const auto single = float(x);
        exponential<float>(Vector<float>{} + single, result);
        CHECK(are_close(double(result[3]), std::exp(double(single)), 3e-7));
        const double argument = std::exp(x);
        CHECK(std::abs(logarithm_of(argument) - std::log(argument)) <=
              5e-16 * std::max(std::abs(x), 1.0));
    }
    CHECK_EQ(logarithm_of(1.0), 0.0);
    CHECK_EQ(exponential_of(0.0), 1.0);
}

TEST_CASE("growth by Janssen has the values of the table") {
    // janssen1991, with a number of Charnock of 0.01 in deep water.
    struct Row {
        double inverse_age;
        double mu;
        double beta;
        double rate;
    };
    constexpr Row table[] = {{0.05, 2.472147e-2, 34.752136, 0.116906},
                             {0.1, 4.059739e-3, 27.996583, 0.326552},
                             {0.2, 2.736791e-3, 24.888362, 1.076770}};
    for (const Row& row : table) {
        const double roughness = 0.01 * row.inverse_age * row.inverse_age;
        const WaveGrowth growth = wave_growth(row.inverse_age, roughness, 1.0);
        CHECK(are_close(growth.mu, row.mu, 3e-7));
        CHECK(are_close(growth.beta, row.beta, 3e-8));
        CHECK(are_close(growth.rate, row.rate, 5e-6));
    }
}

template <class Real>
void check_janssen_rates(double tolerance) {
    const SpectralGrid spectrum(36, 35, 0.03715, 1.1);
    const AirFlow air{0.7, 0.01 * 0.7 * 0.7 / gravity};
    const Input<Real> input(spectrum, Physics::wam4, air);
    for (std::int64_t m = 0; m < 35; ++m) {
        for (std::int64_t k = 0; k < 36; ++k) {
            const double sigma = spectrum.angular(m);
            const double cosine = std::cos(spectrum.direction(k) - spectrum.direction(0));
            const WaveGrowth growth =
                wave_growth(0.7 * sigma / gravity, sigma * sigma / gravity * air.roughness, cosine);
            const double expected = cosine > 0.01 ? density_ratio * sigma * growth.rate : 0.0;
            // Next to mu = 1 the rate is the fourth power of a small difference.
            CHECK(std::abs(input.rate(m, k) - expected) <= tolerance * (expected + 1e-6));
        }
    }
}

TEST_CASE("the kernel computes the growth by Janssen of all waves") {
    check_janssen_rates<float>(2e-4);
    check_janssen_rates<double>(1e-11);
}

TEST_CASE("growth by Snyder is that of a calculation by hand") {
    const SpectralGrid spectrum(24, 25, 0.042, 1.1);
    const double velocity = simple_friction_velocity(10.0);
    CHECK(are_close(velocity, 0.3807886553, 1e-9));
    const Input<double> input(spectrum, Physics::wam3, {velocity, 0.0});
    // Wave 20 has 0.28255 Hz and omega = 1.775345 rad/s, so that u*/c = 0.06893946.
    CHECK(are_close(input.rate(20, 0), 5.208622126e-4, 1e-9));
    const double sigma = spectrum.angular(20);
    const double excess = 28 * velocity * sigma / gravity * std::cos(spectrum.sector()) - 1;
    CHECK(are_close(input.rate(20, 1), 0.25 * density_ratio * excess * sigma, 1e-12));
    CHECK_EQ(input.rate(20, 12), 0.0);
    // Wave 12, 0.13182 Hz, is faster than 28 u*.
    CHECK_EQ(input.rate(12, 0), 0.0);
}

TEST_CASE("the air flow solves the profile with the roughness of the waves") {
    for (const double speed : {0.0, 0.5, 5.0, 10.0, 25.0, 80.0}) {
        for (const double share : {0.0, 0.5, 0.9, 0.99}) {
            const AirFlow calm = air_flow(speed, 0.0);
            const double stress = share * calm.friction_velocity * calm.friction_velocity;
            const AirFlow air = air_flow(speed, stress);
            CAPTURE(speed, share, air.friction_velocity);
            CHECK(air.friction_velocity >= calm.friction_velocity * (1 - 1e-12));
            if (speed < 1) continue;
            const double all = air.roughness + 0.11 * 1.5e-5 / air.friction_velocity;
            CHECK(are_close(air.friction_velocity, 0.4 * speed / std::log(10 / all), 1e-9));
            const double total = air.friction_velocity * air.friction_velocity;
            CHECK(are_close(air.roughness, 0.006 * total / gravity / std::sqrt(1 - stress / total),
                            1e-9));
        }
    }
}

TEST_CASE("breaking fractions have the values of the table") {
    // battjes1978
    constexpr std::pair<double, double> table[] = {
        {0.25, 0.01982740}, {0.5, 0.20318787}, {0.75, 0.54560502}, {0.9, 0.80689983}};
    for (const auto& [b, fraction] : table) CHECK(std::abs(breaking_fraction(b) - fraction) < 1e-8);
    CHECK_EQ(breaking_fraction(1.0), 1.0);
    CHECK_EQ(breaking_fraction(3.0), 1.0);
    CHECK_EQ(breaking_fraction(0.0), 0.0);
    for (double b = 0.02; b < 0.999; b += 0.013) {
        const double fraction = breaking_fraction(b);
        CHECK(are_close(1 - fraction, -b * std::log(fraction), 1e-9));
    }
}

TEST_CASE("breaking takes the energy per wave of a bore") {
    const double depth = 2.0;
    const double energy = 0.25 * 0.64 * depth * depth / 8;
    CHECK(are_close(breaking(energy, 0.1, depth), 2 * 0.1 * 0.01982740 / 0.25, 1e-6));
    CHECK_EQ(breaking(1e-6, 0.1, depth), 0.0);
    CHECK(are_close(breaking(10.0, 0.1, depth), 0.2, 1e-15));
}

TEST_CASE("whitecapping is that of a calculation by hand") {
    const SpectralGrid spectrum(24, 25, 0.042, 1.1);
    const DepthTable<double> table(spectrum, 1.1);
    const WaterColumn<double> water = table.column(table.bin(5000));
    const Means means{0.25, 0.1, 0.12, 0.05, 0.08};
    std::vector<double> found(25);
    whitecapping(Physics::wam4, means, water, found);
    const double k = water.wave_number[6];
    const double ratio = k / 0.08;
    CHECK(are_close(
        found[6],
        1.33 * full_turn * 0.12 * 0.0625 * std::pow(0.08, 4) * (ratio + ratio * ratio) / 2, 1e-12));
    whitecapping(Physics::wam3, means, water, found);
    CHECK(are_close(found[6],
                    2.36e-5 * full_turn * 0.1 * (k / 0.05) * std::pow(0.25 * 0.0025 / 3.02e-3, 2),
                    1e-12));
}

TEST_CASE("an update is semi-implicit, limited, damped and not below the floor") {
    const double before = 2.0;
    CHECK(are_close(UpdatedBin{1e-3, 0.0, 2e-4, 1e-4, 1.0, 9.0, 0.0}.after(before),
                    before + 100 * (1e-3 + 1e-4 * before), 1e-14));
    CHECK(are_close(UpdatedBin{-1e-3, -0.05, 0.0, 0.0, 1.0, 9.0, 0.0}.after(before),
                    before - 100 * 1e-3 / 6, 1e-14));
    CHECK(are_close(UpdatedBin{1.0, 0.0, 0.0, 0.0, 1.0, 0.3, 0.0}.after(before), 2.3, 1e-14));
    CHECK(are_close(UpdatedBin{-1.0, 0.0, 0.0, 0.0, 1.0, 0.3, 0.0}.after(before), 1.7, 1e-14));
    CHECK(are_close(UpdatedBin{0.0, 0.0, 0.0, 0.0, 0.25, 0.3, 0.0}.after(before), 0.5, 1e-14));
    CHECK(are_close(UpdatedBin{0.0, 0.0, 0.0, 0.0, 0.25, 0.3, 4.0}.after(before), 2.0, 1e-14));
}

TEST_CASE("the limit is that of WAM, and the cut-off follows the waves and the wind") {
    const SpectralGrid spectrum(36, 35, 0.03715, 1.1);
    const Integration<double> integration(spectrum, 300.0);
    std::vector<double> largest(35);
    integration.limit(0.5, 0.2, largest);
    const double f = spectrum.frequency(11);
    CHECK(are_close(largest[11], 5e-7 * gravity / std::pow(f, 4) * 300 * 0.5 * 0.2, 1e-13));
    // 2.5 * 0.1 Hz is nearest to frequency 20, and 3 g / (2 pi 28 * 0.3) = 0.557 Hz to 28.
    CHECK_EQ(integration.cut_off(0.1, 10.0), 20);
    CHECK_EQ(integration.cut_off(0.05, 0.3), 28);
    CHECK_EQ(integration.cut_off(3.0, 0.3), 34);
}

TEST_CASE("waves that only feel the bottom decay exponentially") {
    const double step = 300.0;
    WaveCell<double> cell({24, 25}, Physics::wam4, step, 8.0);
    // So low that waves neither interact nor break.
    cell.set_jonswap({8.0, 1.0}, 1e-3);
    const std::vector<double> before = cell.values;
    for (int i = 0; i < 20; ++i) cell.advance({0.0, 0.0});
    for (std::int64_t m = 14; m < 25; ++m) {
        const double k = cell.water.wave_number[m];
        const double rate = 2 * 0.038 / gravity * k / std::sinh(2 * k * cell.water.depth);
        CHECK(are_close(bottom_friction(cell.water, m), rate, 1e-12));
        const auto i = std::size_t(m * 24 + 4);
        CHECK(are_close(cell.values[i], before[i] * std::exp(-rate * step * 20), 1e-4));
    }
}

TEST_CASE("breaking keeps waves below 0.8 of the depth") {
    WaveCell<double> cell({24, 25}, Physics::wam4, 60.0, 2.0);
    cell.set_jonswap({25.0, 1.0}, 30.0);
    CHECK(cell.state().significant_height > 4 * cell.water.depth);
    cell.advance({20.0, 1.0});
    double height = cell.state().significant_height;
    CHECK(height < 0.8 * cell.water.depth);
    for (int i = 0; i < 30; ++i) {
        cell.advance({0.0, 0.0});
        const double next = cell.state().significant_height;
        CHECK(next < height);
        height = next;
    }
    CHECK(height < 0.6 * cell.water.depth);
}

TEST_CASE("wave stress grows with the sea and stays below the stress of the wind") {
    double before = 0.0;
    for (const double level : {0.1, 0.3, 1.0, 1e3}) {
        WaveCell<double> cell({36, 35}, Physics::wam4, 60.0, 4000.0);
        cell.set_jonswap({15.0, 1.0}, level);
        cell.advance({15.0, 1.0});
        const double velocity = cell.roughness.friction_velocity;
        if (level <= 1) CHECK(cell.roughness.wave_stress > before);
        CHECK(cell.roughness.wave_stress < velocity * velocity);
        before = cell.roughness.wave_stress;
    }
}

TEST_CASE("source terms refuse grids that are too small, and time steps that are not positive") {
    CHECK_THROWS_AS(SourceTerms<float>(SpectralGrid(8, 25, 0.04, 1.1), Physics::wam4, 60.0),
                    ConfigError);
    CHECK_THROWS_AS(SourceTerms<float>(SpectralGrid(24, 5, 0.04, 1.1), Physics::wam4, 60.0),
                    ConfigError);
    CHECK_THROWS_AS(SourceTerms<float>(SpectralGrid(24, 25, 0.04, 1.1), Physics::wam4, 0.0),
                    ConfigError);
}

template <class Real>
void check_extremes() {
    for (const Physics physics : {Physics::wam4, Physics::wam3}) {
        for (const double depth : {0.5, 20.0, 5000.0}) {
            for (const double speed : {0.0, 1e-3, 2.0, 80.0}) {
                for (const double level : {0.0, 1e-9, 1.0, 100.0}) {
                    CAPTURE(depth, speed, level);
                    WaveCell<Real> cell({24, 25}, physics, 600.0, depth);
                    cell.set_jonswap({40.0, 2.0}, level);
                    for (int i = 0; i < 20; ++i) cell.advance({speed, 0.2 * i});
                    CHECK(std::all_of(cell.values.begin(), cell.values.end(), [](Real value) {
                        return value >= 0 && std::isfinite(value);
                    }));
                    CHECK(std::isfinite(cell.roughness.wave_stress));
                    CHECK(cell.state().significant_height < 60);
                }
            }
        }
    }
}

TEST_CASE("waves are finite and not negative in calm and in extreme winds") {
    check_extremes<float>();
    check_extremes<double>();
}

TEST_CASE("a calm sea without waves stays so") {
    WaveCell<float> cell({36, 35}, Physics::wam4, 300.0, 100.0);
    for (int i = 0; i < 5; ++i) cell.advance({0.0, 1.0});
    CHECK(std::all_of(cell.values.begin(), cell.values.end(),
                      [](float value) { return value == 0; }));
    CHECK_EQ(cell.state().significant_height, 0.0);
}

TEST_CASE("cells do not depend on which object computes them, nor on the order") {
    const SpectralGrid spectrum(36, 35, 0.03715, 1.1);
    SourceTerms<float> shared(spectrum, Physics::wam4, 300.0);
    WaveCell<float> alone({36, 35}, Physics::wam4, 300.0, 50.0);
    WaveCell<float> other({36, 35}, Physics::wam4, 300.0, 4000.0);
    alone.set_jonswap({12.0, 1.0}, 1.0);
    other.set_jonswap({25.0, 4.0}, 2.0);
    std::vector<float> values = alone.values;
    Roughness<float> roughness;
    for (int i = 0; i < 10; ++i) {
        shared.advance(other.values.data(), other.water, {30.0, 2.0}, other.roughness);
        shared.advance(values.data(), alone.water, {12.0, 1.0}, roughness);
        alone.advance({12.0, 1.0});
    }
    CHECK(values == alone.values);
    CHECK_EQ(roughness.wave_stress, alone.roughness.wave_stress);
}

TEST_CASE("a spectrum of Pierson and Moskowitz has its height, periods, direction and spread") {
    const SpectralGrid spectrum(72, 120, 0.03, 1.03);
    constexpr double peak = 0.1;
    constexpr double level = 0.0081;
    std::vector<double> values(std::size_t(spectrum.size()));
    for (std::int64_t m = 0; m < spectrum.frequencies(); ++m) {
        const double f = spectrum.frequency(m);
        const double density = level * gravity * gravity / std::pow(full_turn, 4) *
                               std::pow(f, -5) * std::exp(-1.25 * std::pow(peak / f, 4));
        for (std::int64_t k = 0; k < spectrum.directions(); ++k) {
            const double cosine = std::max(std::cos(spectrum.direction(k) - 4.0), 0.0);
            values[std::size_t(m * 72 + k)] = density * 2 / std::numbers::pi * cosine * cosine;
        }
    }
    const SeaState state = sea_state(spectrum, values.data());
    const double energy = level * gravity * gravity / std::pow(full_turn * peak, 4) / 5;
    CHECK(are_close(state.significant_height, 4 * std::sqrt(energy), 1e-3));
    CHECK(are_close(state.mean_period, std::pow(1.25, -0.25) * std::tgamma(1.25) / peak, 1e-3));
    CHECK(are_close(state.zero_crossing_period,
                    1 / std::sqrt(std::sqrt(1.25) * std::tgamma(0.5)) / peak, 1e-3));
    CHECK(are_close(state.peak_period, 1 / peak, 2e-3));
    CHECK(are_close(state.mean_direction, 4.0, 1e-4));
    CHECK(are_close(state.spread, std::sqrt(2 - 16 / (3 * std::numbers::pi)), 1e-3));
}

TEST_CASE("the cold start is the JONSWAP spectrum of wind and fetch") {
    // X = 2941.85 for 10 m/s and 30 km
    const JonswapShape shape = jonswap_shape(10.0, 30000.0, 1.0);
    CHECK(are_close(shape.peak, 0.980616 * 2.84 * std::pow(2941.848, -0.3), 1e-6));
    CHECK(are_close(shape.level, 0.033 * std::pow(shape.peak / 0.980616, 2.0 / 3), 1e-9));
    const double at_peak = shape.level * gravity * gravity / std::pow(full_turn, 4) *
                           std::pow(shape.peak, -5) * std::exp(-1.25) * 3;
    CHECK(are_close(jonswap(shape, shape.peak), at_peak, 1e-12));
    const SpectralGrid spectrum(36, 35, 0.03715, 1.1);
    std::vector<double> values(std::size_t(spectrum.size()));
    set_jonswap(spectrum, {10.0, 2.5}, default_fetch, values.data());
    const SeaState state = sea_state(spectrum, values.data());
    CHECK(are_close(state.significant_height, 0.97, 0.02));
    CHECK(are_close(state.mean_direction, 2.5, 1e-3));
    set_jonswap(spectrum, {0.0, 2.5}, default_fetch, values.data());
    CHECK_EQ(sea_state(spectrum, values.data()).significant_height, 0.0);
}

TEST_CASE("a limited drag reduces friction velocity and roughness together") {
    for (const double speed : {5.0, 20.0, 60.0}) {
        const AirFlow free = air_flow(speed, 0.0);
        const AirFlow limited = with_limited_drag(free, speed, 0.0012);
        const double drag = limited.friction_velocity * limited.friction_velocity / (speed * speed);
        CHECK(drag < 0.0012 * (1 + 1e-12));
        CHECK(limited.friction_velocity <= free.friction_velocity);
        CHECK(limited.roughness <= free.roughness);
        if (limited.friction_velocity == free.friction_velocity) continue;
        // The profile of the limited flow has the wind at 10 m.
        const double all = limited.roughness + 0.11 * 1.5e-5 / limited.friction_velocity;
        CHECK(std::abs(limited.friction_velocity / 0.4 * std::log(10 / all) / speed - 1) < 1e-12);
    }
    const AirFlow weak = air_flow(5.0, 0.0);
    CHECK(with_limited_drag(weak, 5.0, 1.0).friction_velocity == weak.friction_velocity);
}

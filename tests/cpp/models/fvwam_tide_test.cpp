/// A water level that varies in time: frequencies follow the dispersion relation, action is
/// conserved, waves feel the depth of the moment, and what is refused.
#include <cmath>
#include <numbers>

#include "models/fvwam_ocean.hpp"
#include "models/fvwam_runs.hpp"
#include "support/messages.hpp"
#include "testing.hpp"

using namespace tradewind;
using namespace tradewind::fvwam;

namespace {

constexpr double full_turn = 2 * std::numbers::pi;
/// Settings with numbers, beside words.
using Numbers = std::map<std::string, double>;

/// A column of water of changing depth under one spectrum.
template <class Real>
class Column {
public:
    explicit Column(const SpectralGrid& grid)
        : spectrum(grid),
          table_(spectrum, 1.002),
          shift_(spectrum),
          values(std::size_t(spectrum.size())) {}

    /// Changes the depth in equal steps.
    void change(double from, double to, int steps) {
        const double rise = (to - from) / steps;
        for (int n = 0; n < steps; ++n)
            shift_.apply(table_.column(table_.bin(from + (n + 0.5) * rise)), rise, values.data());
    }
    /// Returns the sum of action times weight(frequency).
    [[nodiscard]] double sum(const auto& weight) const {
        double all = 0.0;
        for (std::int64_t m = 0; m < spectrum.frequencies(); ++m)
            for (std::int64_t k = 0; k < spectrum.directions(); ++k)
                all += double(values[std::size_t(m * spectrum.directions() + k)]) /
                       spectrum.angular(m) * spectrum.bandwidth(m) * weight(spectrum.frequency(m));
        return all;
    }
    [[nodiscard]] double action() const {
        return sum([](double) { return 1.0; });
    }
    [[nodiscard]] double energy() const {
        return sum([](double f) { return f; }) * full_turn;
    }
    /// Returns the mean of ln f weighted by action, and the standard deviation.
    [[nodiscard]] double mean() const {
        return sum([](double f) { return std::log(f); }) / action();
    }
    [[nodiscard]] double deviation() const {
        const double middle = mean();
        return std::sqrt(sum([middle](double f) { return std::pow(std::log(f) - middle, 2); }) /
                         action());
    }
    /// Sets a smooth hump around a frequency.
    void set_hump(double frequency, double width) {
        for (std::int64_t m = 0; m < spectrum.frequencies(); ++m)
            for (std::int64_t k = 0; k < spectrum.directions(); ++k)
                values[std::size_t(m * spectrum.directions() + k)] = Real(
                    (1 + double(k)) *
                    std::exp(-std::pow(std::log(spectrum.frequency(m) / frequency) / width, 2)));
    }

    SpectralGrid spectrum;

private:
    DepthTable<Real> table_;
    FrequencyShift<Real> shift_;

public:
    std::vector<Real> values;
};

/// Returns the frequency of waves of a wave number.
double frequency_of(double k, double depth) {
    return std::sqrt(gravity * k * std::tanh(k * depth)) / full_turn;
}

Settings with_numbers(Settings settings, const Numbers& numbers) {
    for (const auto& [key, number] : numbers) settings.set(key, number);
    return settings;
}

std::string complaint(const Settings& settings) {
    return support::message_of<ConfigError>([&] { (void)make_run_plan(settings, 1); });
}

}  // namespace

TEST_CASE("in a sea that becomes deeper or shallower k stays and sigma follows dispersion") {
    for (const auto& [from, to] : {std::pair{8.0, 12.0}, {12.0, 8.0}, {5.0, 5.5}, {20.0, 15.0}}) {
        CAPTURE(from, to);
        Column<double> column(SpectralGrid(4, 70, 0.015, 1.05));
        column.set_hump(0.08, 0.12);
        const double begin = column.mean();
        const double action = column.action();
        const double energy = column.energy();
        column.change(from, to, 200);
        const double k = wave_number(full_turn * std::exp(begin), from);
        const double expected = std::log(frequency_of(k, to)) - begin;
        CHECK(std::abs(expected) > 0.02);
        // The hump has waves of other k around the mean.
        CHECK(std::abs((column.mean() - begin) / expected - 1) < 0.03);
        CHECK(std::abs(column.action() / action - 1) < 1e-12);
        // Energy grows as sigma does.
        CHECK(std::abs(std::log(column.energy() / energy) / expected - 1) < 0.1);
    }
}

TEST_CASE("the error of the shift falls as that of a scheme of second order") {
    const auto error_of = [](std::int64_t frequencies) {
        const SpectralGrid grid(4, frequencies, 0.03, std::pow(8.0, 1 / double(frequencies)));
        Column<double> column(grid);
        column.set_hump(0.08, 0.2);
        column.change(8.0, 14.0, int(8 * frequencies));
        double error = 0.0;
        double size = 0.0;
        for (std::int64_t m = 0; m < frequencies; ++m) {
            // The action of a band of wave numbers stays: N(f) df/dk does, where 2 pi df/dk = c_g.
            const double sigma = grid.angular(m);
            const double before = frequency_of(wave_number(sigma, 14.0), 8.0);
            const double exact = std::exp(-std::pow(std::log(before / 0.08) / 0.2, 2)) / before *
                                 group_velocity(full_turn * before, 8.0) /
                                 group_velocity(sigma, 14.0) * grid.frequency(m);
            error += std::abs(column.values[std::size_t(m * 4)] - exact) * grid.bandwidth(m);
            size += exact * grid.bandwidth(m);
        }
        return error / size;
    };
    const double coarse = error_of(40);
    const double fine = error_of(80);
    CAPTURE(coarse, fine);
    CHECK(coarse < 0.05);
    CHECK(coarse / fine > 3.0);
}

TEST_CASE("action is conserved in the range, never negative, and what leaves it is lost") {
    Column<double> column(SpectralGrid(6, 20, 0.05, 1.1));
    std::uint64_t bits = 1;
    for (std::int64_t n = 0; n < 6 * 20; ++n) {
        bits = bits * 6364136223846793005U + 1442695040888963407U;
        // The bands at either end are empty.
        const bool is_inside = n >= 6 * 6 && n < 6 * 14;
        column.values[std::size_t(n)] = is_inside && bits >> 63 ? double(bits >> 40) : 0.0;
    }
    const double before = column.action();
    column.change(4.0, 4.1, 3);
    column.change(4.1, 4.0, 2);
    CHECK(std::abs(column.action() / before - 1) < 1e-14);
    // Too far for one part.
    for (const double depth : {1.0, 30.0, 0.5, 4.0}) column.change(4.0, depth, 1);
    CHECK(column.action() < before);
    CHECK(std::ranges::min(column.values) >= 0);
    CHECK(std::ranges::max(column.values) > 0);
}

TEST_CASE("single precision conserves action to its rounding") {
    Column<float> column(SpectralGrid(36, 35, 0.03715, 1.1));
    column.set_hump(0.15, 0.1);
    const double before = column.action();
    for (int n = 0; n < 10; ++n) {
        column.change(10, 12, 20);
        column.change(12, 10, 20);
    }
    CHECK(std::abs(column.action() / before - 1) < 1e-5);
}

TEST_CASE("after a tide frequencies are back, and little more spread") {
    Column<double> column(SpectralGrid(4, 35, 0.03715, 1.1));
    column.set_hump(0.1, 0.15);
    const double mean = column.mean();
    const double energy = column.energy();
    const double deviation = column.deviation();
    column.change(10, 12, 50);
    column.change(12, 8, 100);
    column.change(8, 10, 50);
    CAPTURE(column.mean() - mean, column.energy() / energy, column.deviation() / deviation);
    CHECK(std::abs(column.mean() - mean) < 0.002);
    CHECK(std::abs(column.energy() / energy - 1) < 0.01);
    // The hump is two bands wide. A scheme of first order would make it 1.84 times as wide.
    CHECK(column.deviation() / deviation < 1.3);
}

TEST_CASE("waves of deep water keep their bits") {
    Column<float> column(SpectralGrid(36, 10, 0.1, 1.1));
    column.set_hump(0.15, 0.3);
    const std::vector<float> before = column.values;
    column.change(4000, 4002, 3);
    CHECK(column.values == before);
}

TEST_CASE("a level without change has the bits of a deeper mesh, and level 0 those of none") {
    const SpectralGrid grid(36, 3, 0.05, 1.5);
    const auto ocean_of = [&](double depth, double level, bool sets_level) {
        VoronoiMesh mesh = mesh_of(support::mesh_file(support::icosahedron(3)));
        for (double& one : mesh.depth) one = depth;
        Ocean<float> ocean(grid, mesh, Scheme::limited, 1800);
        if (sets_level) ocean.set_level(level, 0.0);
        ocean.for_each([](std::int64_t n, std::int64_t k, std::int64_t, float& value) {
            value = float((n * 7 + k) % 11);
        });
        for (int step = 0; step < 3; ++step) ocean.step();
        std::vector<float> values;
        ocean.for_each([&](std::int64_t, std::int64_t, std::int64_t, float& value) {
            values.push_back(value);
        });
        return values;
    };
    CHECK(ocean_of(20, 0, true) == ocean_of(20, 0, false));
    CHECK(ocean_of(20, 2, true) == ocean_of(22, 0, false));
    CHECK(ocean_of(20, 2, true) != ocean_of(20, 0, false));
}

TEST_CASE("waves that travel while the level changes keep all their action") {
    const SpectralGrid grid(12, 20, 0.05, 1.1);
    VoronoiMesh mesh = mesh_of(support::mesh_file(support::icosahedron(3)));
    for (std::size_t n = 0; n < mesh.depth.size(); ++n) mesh.depth[n] = 20 + double(n % 7);
    for (const Scheme scheme : {Scheme::upwind, Scheme::limited, Scheme::heun}) {
        Ocean<double> ocean(grid, mesh, scheme, step_of(grid, mesh, scheme, 0.9));
        ocean.for_each([](std::int64_t n, std::int64_t, std::int64_t m, double& value) {
            value = m >= 7 && m < 13 ? double(n % 5) : 0.0;
        });
        // The sum of action times sigma^power.
        const auto sum = [&](double power) {
            double all = 0.0;
            ocean.for_each([&](std::int64_t n, std::int64_t, std::int64_t m, double& value) {
                all += value * std::pow(grid.angular(m), power - 1) * grid.bandwidth(m) *
                       mesh.area[std::size_t(n)];
            });
            return all;
        };
        const double action = sum(0);
        const double energy = sum(1);
        for (int step = 0; step < 5; ++step) {
            ocean.set_level(0.2 * step, 0.2);
            ocean.step();
            CHECK(std::abs(sum(0) / action - 1) < 1e-12);
            CHECK(ocean.range().first >= 0);
        }
        CHECK(sum(1) > 1.001 * energy);
    }
}

TEST_CASE("runs with a tide have the same bits on any ranks, and a tide of 0 m those of none") {
    const auto settings = [](const Numbers& numbers, const char* scheme) {
        Settings made = with_numbers(wave_settings({{"scheme", scheme}}), numbers);
        made.set("depth_m", 15.0);
        return made;
    };
    for (const char* const scheme : {"upwind", "limited", "heun"}) {
        CAPTURE(scheme);
        const Numbers tide{{"tide_amplitude_m", 2.0}, {"tide_period_hours", 9.0}};
        const WaveSnapshot none = run_waves(1, settings({}, scheme));
        const WaveSnapshot high = run_waves(1, settings(tide, scheme));
        CHECK(!same_bits(high, none));
        CHECK(same_bits(run_waves(1, settings({{"tide_amplitude_m", 0.0}}, scheme)), none));
        for (const Rank ranks : {2, 5, 33}) {
            CHECK(same_bits(run_waves(ranks, settings(tide, scheme)), high));
            Settings overlapping = settings(tide, scheme);
            overlapping.set("overlap", std::string("computation"));
            CHECK(same_bits(run_waves(ranks, overlapping), high));
        }
    }
}

TEST_CASE("the stable step is that of the level at which waves are fastest") {
    Settings settings = wave_settings();
    const double period = 1 / 0.05;
    const double fastest_depth = gravity * period * period / (full_turn * full_turn);
    const auto largest = [&](double depth, double tide) {
        settings.set("depth_m", depth);
        settings.set("tide_amplitude_m", tide);
        return make_run_plan(settings, 1)->largest_stable_step;
    };
    CHECK_EQ(largest(20, 5), largest(25, 0));
    CHECK_EQ(largest(200, 5), largest(195, 0));
    CHECK_EQ(largest(fastest_depth + 3, 5), largest(fastest_depth, 0));
    for (const double depth : {0.8, 0.95, 1.05, 1.2})
        CHECK(largest(depth * fastest_depth, 0) > largest(fastest_depth, 0));
}

TEST_CASE("a tide that leaves no water, or shifts nothing, is refused") {
    Settings settings = wave_settings();
    settings.set("depth_m", 3.0);
    settings.set("tide_amplitude_m", 2.9);
    const std::string told = complaint(settings);
    CHECK(told.starts_with("fvwam: tide_amplitude_m = 2.9 leaves less than 0.25 m of water in "));
    CHECK(told.ends_with("whose depth is 3 m"));
    settings.set("tide_amplitude_m", 2.7);
    CHECK_EQ(complaint(settings), "");
    settings.set("frequencies", std::int64_t{1});
    settings.set("sources", std::string("none"));
    CHECK(complaint(settings).starts_with("fvwam: tide_amplitude_m needs at least 2 frequencies"));
    Settings none = wave_settings();
    none.set("tide_period_hours", 12.0);
    CHECK_EQ(complaint(none), "fvwam: tide_period_hours needs tide_amplitude_m");
}

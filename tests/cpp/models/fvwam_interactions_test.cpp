/// Interactions of four waves by the DIA: what they conserve, and which waves gain.
#include <algorithm>
#include <cmath>
#include <vector>

#include "testing.hpp"
#include "tradewind/models/fvwam/sources/dia.hpp"
#include "tradewind/models/fvwam/sources/initial_spectrum.hpp"
#include "tradewind/models/fvwam/sources/spectrum_rows.hpp"

using namespace tradewind;
using namespace tradewind::fvwam;

namespace {

/// The interactions of a spectrum.
template <class Real>
struct Interactions {
    Interactions(const SpectralGrid& grid, const std::vector<Real>& values, double factor = 1.0)
        : spectrum(grid),
          shape(row_shape<Real>(spectrum, interaction_reach(spectrum))),
          waves(shape, shape.frequencies),
          source(shape, shape.frequencies),
          derivative(shape, shape.frequencies),
          dia(spectrum, shape) {
        std::vector<double> sums(std::size_t(shape.frequencies));
        read_spectrum(values.data(), waves, sums);
        dia.evaluate(waves, factor, source, derivative);
    }

    /// Returns the sum over all bins of the change times f^power and the component of a direction,
    /// over the same sum of absolute values without components.
    [[nodiscard]] double relative_sum(double power, const std::vector<double>& component) const {
        double sum = 0.0;
        double all = 0.0;
        for (std::int64_t m = 0; m < shape.frequencies; ++m) {
            const double weight = spectrum.bandwidth(m) * std::pow(spectrum.frequency(m), power);
            for (std::int64_t k = 0; k < shape.directions; ++k) {
                sum += weight * double(source[m][k]) * component[std::size_t(k)];
                all += weight * std::abs(double(source[m][k]));
            }
        }
        return sum / all;
    }
    /// Returns the change of all directions of a frequency.
    [[nodiscard]] double change(std::int64_t m) const {
        double sum = 0.0;
        for (std::int64_t k = 0; k < shape.directions; ++k) sum += double(source[m][k]);
        return sum;
    }

    SpectralGrid spectrum;
    RowShape shape;
    Rows<Real> waves;
    Rows<Real> source;
    Rows<Real> derivative;
    Dia<Real> dia;
};

/// Irregular waves in the frequencies `first` to `last` - 1.
std::vector<double> irregular(const SpectralGrid& spectrum, std::int64_t first, std::int64_t last) {
    std::vector<double> values(std::size_t(spectrum.size()));
    const std::int64_t n = spectrum.directions();
    for (std::int64_t m = first; m < last; ++m)
        for (std::int64_t k = 0; k < n; ++k)
            values[std::size_t(m * n + k)] =
                1.2 + std::sin(double(3 * k + m * m)) * std::cos(double(m + k * k));
    return values;
}

struct Components {
    explicit Components(const SpectralGrid& spectrum)
        : one(std::size_t(spectrum.directions()), 1.0) {
        for (std::int64_t k = 0; k < spectrum.directions(); ++k) {
            east.push_back(spectrum.east(k));
            north.push_back(spectrum.north(k));
        }
    }
    std::vector<double> one;
    std::vector<double> east;
    std::vector<double> north;
};

}  // namespace

TEST_CASE("interactions conserve energy, action and both components of momentum") {
    // hasselmann1985: per band and direction, action is F / f and momentum F f (sin, cos).
    for (const std::int64_t directions : {16, 24, 30, 36, 48, 72, 120}) {
        CAPTURE(directions);
        const SpectralGrid spectrum(directions, 35, 0.03715, 1.1);
        const Interactions<double> found(spectrum, irregular(spectrum, 8, 26));
        const Components components(spectrum);
        CHECK(std::abs(found.relative_sum(0, components.one)) < 1e-14);
        CHECK(std::abs(found.relative_sum(-1, components.one)) < 1e-14);
        CHECK(std::abs(found.relative_sum(1, components.east)) < 1e-14);
        CHECK(std::abs(found.relative_sum(1, components.north)) < 1e-14);
        CHECK(std::abs(found.relative_sum(2, components.one)) > 1e-4);
    }
}

TEST_CASE("interactions conserve on other frequencies, and to rounding in single precision") {
    const SpectralGrid fine(36, 60, 0.03, 1.06);
    const Interactions<double> found(fine, irregular(fine, 12, 40));
    const Components components(fine);
    CHECK(std::abs(found.relative_sum(0, components.one)) < 1e-14);
    CHECK(std::abs(found.relative_sum(-1, components.one)) < 1e-14);
    CHECK(std::abs(found.relative_sum(1, components.east)) < 1e-14);
    const SpectralGrid spectrum(36, 35, 0.03715, 1.1);
    const std::vector<double> values = irregular(spectrum, 8, 26);
    const Interactions<float> single(spectrum, {values.begin(), values.end()});
    CHECK(std::abs(single.relative_sum(0, components.one)) < 1e-6);
    CHECK(std::abs(single.relative_sum(1, components.north)) < 1e-6);
}

TEST_CASE("weights of directions are near those of linear interpolation") {
    constexpr double degree = 3.14159265358979323846 / 180;
    for (const std::int64_t directions : {24, 36, 72}) {
        const SpectralGrid spectrum(directions, 35, 0.03715, 1.1);
        const Dia<double> dia(spectrum, row_shape<double>(spectrum, interaction_reach(spectrum)));
        const InteractionGrid<double>& grid = dia.grid();
        const double plus =
            (double(grid.plus_sectors) + grid.plus_direction[1]) * spectrum.sector();
        const double minus =
            (double(grid.minus_sectors) + grid.minus_direction[1]) * spectrum.sector();
        CHECK(std::abs(plus / degree - 11.48) < 0.5);
        CHECK(std::abs(minus / degree - 33.56) < 1.4);
        CHECK(grid.plus_direction[0] + grid.plus_direction[1] == 1.0);
    }
    const SpectralGrid spectrum(36, 35, 0.03715, 1.1);
    const Dia<double> dia(spectrum, row_shape<double>(spectrum, interaction_reach(spectrum)));
    CHECK(std::abs(dia.grid().plus_direction[1] - 0.14008709) < 1e-8);
    CHECK(std::abs(dia.grid().minus_direction[1] - 0.342641) < 1e-6);
}

TEST_CASE("one quadruplet has the rate of the formula") {
    // A wave and its partners at the lower of both frequencies, all others zero.
    const SpectralGrid spectrum(36, 35, 0.03715, 1.1);
    std::vector<double> values(std::size_t(spectrum.size()));
    constexpr std::int64_t m = 15;
    constexpr std::int64_t k = 10;
    values[m * 36 + k] = 2.0;
    values[(m + 2) * 36 + k + 1] = 0.7;
    values[(m - 4) * 36 + k - 3] = 0.4;
    const Interactions<double> found(spectrum, values);
    const InteractionGrid<double>& grid = found.dia.grid();
    const double plus = 0.7 * grid.plus_frequency[0] * grid.plus_direction[0] / std::pow(1.25, 4);
    const double minus =
        0.4 * grid.minus_frequency[0] * grid.minus_direction[0] / std::pow(0.75, 4);
    const double rate = 3000 * std::pow(spectrum.frequency(m), 11) * 2.0 *
                        (2.0 * (plus + minus) - 2 * plus * minus);
    // The partners interact with others, too, but do not reach this bin.
    CHECK(std::abs(found.source[m][k] / (-2 * rate) - 1) < 1e-12);
    const double upper = grid.plus_frequency[1] * grid.plus_direction[1];
    CHECK(std::abs(found.source[m + 3][k + 2] / (rate * upper) - 1) < 1e-12);
    CHECK_EQ(found.source[m + 3][k - 2], 0.0);
}

TEST_CASE("the derivative is that of the change by the bin itself") {
    const SpectralGrid spectrum(24, 25, 0.042, 1.1);
    std::vector<double> values = irregular(spectrum, 0, 25);
    const Interactions<double> before(spectrum, values);
    for (const std::int64_t m : {8, 12, 17}) {
        const auto bin = std::size_t(m * 24 + 5);
        const double step = 1e-6;
        std::vector<double> changed = values;
        changed[bin] += step;
        const Interactions<double> after(spectrum, changed);
        const double slope = (after.source[m][5] - before.source[m][5]) / step;
        CHECK(std::abs(slope / before.derivative[m][5] - 1) < 1e-4);
    }
}

TEST_CASE("no waves do not interact, and rates are in proportion to the factor") {
    const SpectralGrid spectrum(36, 35, 0.03715, 1.1);
    const Interactions<double> none(spectrum, std::vector<double>(std::size_t(spectrum.size())));
    const std::vector<double> values = irregular(spectrum, 0, 35);
    const Interactions<double> one(spectrum, values);
    const Interactions<double> two(spectrum, values, 2.0);
    for (std::int64_t m = 0; m < 35; ++m) {
        CHECK_EQ(none.change(m), 0.0);
        CHECK_EQ(two.change(m), 2 * one.change(m));
    }
    CHECK(std::abs(shallow_factor(1.0, 1000.0) - 1) < 1e-8);
    CHECK(std::abs(shallow_factor(0.1, 10.0) -
                   (1 + 5.5 / 0.75 * (1 - 0.833 * 0.75) * std::exp(-1.25 * 0.75))) < 1e-12);
}

TEST_CASE("interactions of a symmetric spectrum are symmetric in all bits") {
    const SpectralGrid spectrum(36, 35, 0.03715, 1.1);
    std::vector<float> values(std::size_t(spectrum.size()));
    set_jonswap(spectrum, {15.0, 0.0}, 1e5, values.data());
    for (std::int64_t m = 0; m < 35; ++m)
        for (std::int64_t k = 0; k < 18; ++k)
            values[std::size_t(m * 36 + 35 - k)] = values[std::size_t(m * 36 + k)];
    const Interactions<float> found(spectrum, values);
    for (std::int64_t m = 0; m < 35; ++m) {
        for (std::int64_t k = 0; k < 18; ++k) {
            CHECK_EQ(found.source[m][k], found.source[m][35 - k]);
            CHECK_EQ(found.derivative[m][k], found.derivative[m][35 - k]);
        }
    }
}

TEST_CASE("a wind sea gains up to its peak and above 2.4 times its peak, and loses between") {
    const SpectralGrid spectrum(36, 35, 0.03715, 1.1);
    std::vector<double> values(std::size_t(spectrum.size()));
    set_jonswap(spectrum, {15.0, 1.0}, 1e5, values.data());
    const double peak = jonswap_shape(15.0, 1e5, 1.0).peak;
    const Interactions<double> found(spectrum, values);
    for (std::int64_t m = 0; m < 35; ++m) {
        const double ratio = spectrum.frequency(m) / peak;
        CAPTURE(ratio, found.change(m));
        if (ratio > 0.7 && ratio < 1.05) CHECK(found.change(m) > 0);
        if (ratio > 1.2 && ratio < 1.55) CHECK(found.change(m) < 0);
        if (ratio > 2.4) CHECK(found.change(m) > 0);
    }
}

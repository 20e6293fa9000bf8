/// Gauss quadrature and Legendre transforms against closed forms.
#include "tradewind/models/spectral/legendre.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "testing.hpp"
#include "tradewind/base/random.hpp"

using namespace tradewind;
using namespace tradewind::spectral;

namespace {

double noise(std::uint64_t i) {
    return double(mix(11, i) >> 11) * 0x1p-53 - 0.5;
}

std::vector<std::int64_t> all_waves(std::int64_t truncation) {
    std::vector<std::int64_t> waves;
    for (std::int64_t m = 0; m <= truncation; ++m) waves.push_back(m);
    return waves;
}

}  // namespace

TEST_CASE("Gauss quadrature is exact for polynomials of degree 2 n - 1") {
    for (const std::int64_t n : {1, 2, 3, 8, 64, 256}) {
        const GaussNodes nodes = gauss_nodes(n);
        for (std::int64_t power = 0; power < std::min<std::int64_t>(2 * n, 40); ++power) {
            CAPTURE(n, power);
            double sum = 0;
            for (std::size_t j = 0; j < nodes.mu.size(); ++j)
                sum += nodes.weight[j] * std::pow(nodes.mu[j], double(power));
            CHECK(std::abs(sum - (power % 2 == 0 ? 2.0 / double(power + 1) : 0.0)) < 3e-15);
        }
    }
}

TEST_CASE("Legendre functions have their closed forms and are normalised") {
    for (const double mu : {-0.9, 0.0, 0.3, 0.99}) {
        const double c = std::sqrt(1 - mu * mu);
        const auto zonal = legendre_functions(0, 3, mu);
        CHECK(std::abs(zonal[0] - std::sqrt(0.5)) < 1e-15);
        CHECK(std::abs(zonal[1] - std::sqrt(1.5) * mu) < 1e-15);
        CHECK(std::abs(zonal[3] - std::sqrt(3.5) * (5 * mu * mu * mu - 3 * mu) / 2) < 1e-14);
        const auto second = legendre_functions(2, 3, mu);
        CHECK(std::abs(second[0] - std::sqrt(15.0 / 16) * c * c) < 1e-15);
        CHECK(std::abs(second[1] - std::sqrt(105.0 / 16) * c * c * mu) < 1e-14);
    }
    const GaussNodes nodes = gauss_nodes(256);
    for (const std::int64_t m : {0, 1, 17, 100, 170}) {
        std::vector<double> integral(std::size_t(171 - m + 1));
        for (std::size_t j = 0; j < nodes.mu.size(); ++j) {
            const auto values = legendre_functions(m, 171, nodes.mu[j]);
            for (std::size_t k = 0; k < values.size(); ++k)
                integral[k] += nodes.weight[j] * values[k] * values[k];
        }
        for (const double value : integral) {
            CAPTURE(m, value);
            CHECK(std::abs(value - 1) < 1e-12);
        }
    }
}

TEST_CASE("the derivative from the recurrence is the derivative") {
    const double mu = 0.37;
    const double step = 1e-6;
    for (const std::int64_t m : {0, 1, 5}) {
        const auto at = legendre_functions(m, 12, mu);
        const auto above = legendre_functions(m, 12, mu + step);
        const auto below = legendre_functions(m, 12, mu - step);
        for (std::int64_t n = m; n < 12; ++n) {
            const auto k = std::size_t(n - m);
            const double lower = n == m ? 0.0 : double(n + 1) * epsilon(n, m) * at[k - 1];
            const double slope = (above[k] - below[k]) / (2 * step);
            CHECK(std::abs(lower - double(n) * epsilon(n + 1, m) * at[k + 1] -
                           (1 - mu * mu) * slope) < 1e-7);
        }
    }
}

TEST_CASE("coefficients survive the way to latitudes and back, for any truncation and columns") {
    for (const auto& [truncation, latitudes] :
         {std::pair{5, 8}, {21, 32}, {42, 64}, {85, 128}, {170, 256}}) {
        for (const std::int64_t columns : {1, 2, 5}) {
            const GaussNodes nodes = gauss_nodes(latitudes);
            const LegendreTransform transform(truncation, nodes, {0, latitudes / 2},
                                              all_waves(truncation));
            const std::int64_t rows = transform.first_row(transform.waves().size());
            LaneVector spectrum(rows * columns);
            for (std::int64_t i = 0; i < rows * columns * lane_width; ++i)
                numbers(spectrum.data())[i] = noise(std::uint64_t(i));
            LaneVector fourier((truncation + 1) * latitudes * columns);
            LaneVector back(spectrum.size());
            transform.inverse(spectrum.data(), fourier.data(), columns);
            transform.forward(fourier.data(), back.data(), columns);
            double worst = 0;
            for (std::int64_t i = 0; i < rows * columns * lane_width; ++i) {
                worst = std::max(worst,
                                 std::abs(numbers(spectrum.data())[i] - numbers(back.data())[i]));
            }
            CAPTURE(truncation, columns, worst);
            CHECK(worst < 1e-13);
        }
    }
}

TEST_CASE("a single coefficient gives its Legendre function on both hemispheres") {
    const GaussNodes nodes = gauss_nodes(16);
    const LegendreTransform transform(10, nodes, {2, 3}, {1, 4});
    LaneVector spectrum(transform.first_row(2));
    LaneVector fourier(2 * 3 * 2);
    const std::int64_t n = 9;
    numbers(spectrum.data() + transform.first_row(1) + n - 4)[2] = 3.0;
    transform.inverse(spectrum.data(), fourier.data(), 1);
    for (std::int64_t pair = 0; pair < 3; ++pair) {
        for (const std::int64_t side : {0, 1}) {
            const std::int64_t j = side == 0 ? 2 + pair : 15 - 2 - pair;
            const double expected = legendre_functions(4, 10, nodes.mu[std::size_t(j)])[n - 4];
            CHECK_EQ(numbers(fourier.data() + 2 * pair + side)[2], 0.0);
            const double found = numbers(fourier.data() + 6 + 2 * pair + side)[2];
            CHECK(std::abs(found - 3 * expected) < 1e-14);
        }
    }
}

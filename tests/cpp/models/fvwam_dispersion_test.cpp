/// Dispersion and shoaling of waves of 10 s beside a table, and the table of depths.
#include <cmath>
#include <numbers>

#include "testing.hpp"
#include "tradewind/models/fvwam/dispersion.hpp"

using namespace tradewind;
using namespace tradewind::fvwam;

namespace {

constexpr double angular_of_10_s = 2 * std::numbers::pi / 10;

/// Values of a wave of 10 s, and its height over that in deep water.
struct Row {
    double depth;
    double wave_number;
    double group_velocity;
    double shoaling;
};
constexpr Row table[] = {{100, 0.040284320, 7.838375, 0.997773},
                         {50, 0.041542837, 8.548814, 0.955414},
                         {20, 0.051838946, 9.271190, 0.917438},
                         {10, 0.068034318, 8.067699, 0.983489},
                         {5, 0.092855482, 6.325259, 1.110722}};

}  // namespace

TEST_CASE("waves of 10 s have the wave number, group velocity and shoaling of the table") {
    const double deep = group_velocity(angular_of_10_s, 1e5);
    for (const Row& row : table) {
        CAPTURE(row.depth);
        CHECK(std::abs(wave_number(angular_of_10_s, row.depth) - row.wave_number) < 1e-9);
        const double velocity = group_velocity(angular_of_10_s, row.depth);
        CHECK(std::abs(velocity - row.group_velocity) < 1e-6);
        CHECK(std::abs(std::sqrt(deep / velocity) - row.shoaling) < 1e-6);
    }
    CHECK(std::abs(group_velocity(2 * std::numbers::pi * 0.05, 1e5) - 15.606988) < 1e-6);
}

TEST_CASE("dispersion holds to rounding from ripples to long waves in any depth") {
    for (const double depth : {0.25, 1.0, 30.0, 400.0, 11000.0}) {
        for (double angular = 0.01; angular < 20; angular *= 1.3) {
            const double k = wave_number(angular, depth);
            const double found = gravity * k * std::tanh(k * depth);
            CHECK(std::abs(found / (angular * angular) - 1) < 1e-13);
        }
    }
}

TEST_CASE("the table of depths takes the nearest depth") {
    const SpectralGrid spectrum(36, 35, 0.03715, 1.1);
    const DepthTable<double> table_of_depths(spectrum, 1.02);
    for (const double depth : {0.3, 2.0, 17.0, 250.0, 6000.0}) {
        const auto column = table_of_depths.column(table_of_depths.bin(depth));
        CHECK(std::abs(column.depth / depth - 1) < 0.0101);
        for (std::int64_t m = 0; m < spectrum.frequencies(); ++m) {
            const double sigma = spectrum.angular(m);
            CHECK(column.wave_number[m] == wave_number(sigma, column.depth));
            CHECK(column.group_velocity[m] == group_velocity(sigma, column.depth));
            const double sinh = std::sinh(2 * column.wave_number[m] * column.depth);
            CHECK(std::abs(column.turning[m] * sinh / sigma - 1) < 1e-12 || sinh > 1e17);
            CHECK(std::abs(column.bottom[m] * sinh / column.wave_number[m] - 1) < 1e-12 ||
                  sinh > 1e17);
        }
    }
    CHECK(table_of_depths.bin(1e6) == table_of_depths.bins() - 1);
    CHECK(table_of_depths.bin(0.01) == 0);
}

TEST_CASE("sectors fill the circle and bands the frequencies") {
    const SpectralGrid spectrum(36, 35, 0.03715, 1.1);
    double east = 0.0;
    double band = 0.0;
    for (std::int64_t k = 0; k < spectrum.directions(); ++k) east += spectrum.east(k);
    for (std::int64_t m = 0; m < spectrum.frequencies(); ++m) band += spectrum.bandwidth(m);
    CHECK(std::abs(east) < 1e-14);
    CHECK(std::abs(spectrum.direction(0) - spectrum.sector() / 2) < 1e-15);
    CHECK(std::abs(band - (spectrum.frequency(34) - spectrum.frequency(0))) < 1e-14);
    CHECK(std::abs(spectrum.frequency(34) / 0.03715 - std::pow(1.1, 34)) < 1e-12);
}

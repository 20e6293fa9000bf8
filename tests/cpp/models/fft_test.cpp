/// Real Fourier transforms against the definition, and the independence of lanes.
#include "tradewind/models/spectral/fft.hpp"

#include <cmath>
#include <complex>
#include <numbers>

#include "testing.hpp"
#include "tradewind/base/errors.hpp"
#include "tradewind/base/random.hpp"

using namespace tradewind;
using namespace tradewind::spectral;

namespace {

double noise(std::uint64_t i) {
    return double(mix(7, i) >> 11) * 0x1p-53 - 0.5;
}

LaneVector random_points(std::int64_t points) {
    LaneVector lanes(points);
    for (std::int64_t i = 0; i < points * lane_width; ++i)
        numbers(lanes.data())[i] = noise(std::uint64_t(i));
    return lanes;
}

struct Transformed {
    LaneVector waves;
    LaneVector points;
};

/// Transforms forward to waves 0..`last`, and back.
Transformed there_and_back(const LaneVector& points, std::int64_t last) {
    const std::int64_t n = points.size();
    const Fft fft(n);
    LaneVector work(fft.work_size());
    Transformed result{LaneVector(2 * (last + 1)), LaneVector(points.size())};
    fft.forward({points.data(), 1}, {result.waves.data(), 2, 1}, last, work.data());
    fft.inverse({result.waves.data(), 2, 1}, {result.points.data(), 1}, last, work.data());
    return result;
}

}  // namespace

TEST_CASE("the forward transform is the definition for every length with factors 2, 3 and 5") {
    for (const std::int64_t n :
         {2, 4, 6, 8, 10, 12, 16, 18, 20, 30, 32, 50, 54, 60, 96, 128, 150}) {
        const LaneVector points = random_points(n);
        const std::int64_t last = n / 2 - 1;
        const Transformed result = there_and_back(points, last);
        for (std::int64_t m = 0; m <= last; ++m) {
            for (std::int64_t lane = 0; lane < lane_width; ++lane) {
                CAPTURE(n, m, lane);
                std::complex<double> sum = 0;
                for (std::int64_t j = 0; j < n; ++j) {
                    const double angle = -2 * std::numbers::pi * double(m * j % n) / double(n);
                    sum += numbers(points.data())[j * lane_width + lane] * std::polar(1.0, angle);
                }
                sum /= double(n);
                const double* const found = numbers(result.waves.data()) + 2 * m * lane_width;
                CHECK(std::abs(sum - std::complex(found[lane], found[lane_width + lane])) < 2e-15);
            }
        }
    }
}

TEST_CASE("waves below the cut survive the way to points and back") {
    for (const std::int64_t n : {8, 20, 96, 128, 320, 512}) {
        const std::int64_t last = n / 3;
        const Transformed first = there_and_back(random_points(n), last);
        const Transformed second = there_and_back(first.points, last);
        double worst = 0;
        for (std::int64_t i = 0; i < n * lane_width; ++i) {
            worst = std::max(worst, std::abs(numbers(first.points.data())[i] -
                                             numbers(second.points.data())[i]));
        }
        CAPTURE(n, worst);
        CHECK(worst < 1e-14);
    }
}

TEST_CASE("a lane gives the same bits whatever lies beside it, even not-a-number") {
    const std::int64_t n = 60;
    LaneVector points = random_points(n);
    const Transformed quiet = there_and_back(points, 20);
    for (std::int64_t i = 0; i < n; ++i) numbers(points.data())[i * lane_width + 1] = std::nan("");
    const Transformed loud = there_and_back(points, 20);
    for (std::int64_t i = 0; i < n; ++i) {
        for (const std::int64_t lane : {0, 2, 3}) {
            CHECK_EQ(numbers(loud.points.data())[i * lane_width + lane],
                     numbers(quiet.points.data())[i * lane_width + lane]);
        }
    }
}

TEST_CASE("lengths that no stage can divide are refused") {
    for (const std::int64_t n : {0, 1, 3, 14, 22, 77, 127}) {
        CAPTURE(n);
        CHECK_THROWS_AS(Fft(n), ConfigError);
    }
    CHECK_EQ(next_fft_points(127), 128);
    CHECK_EQ(next_fft_points(130), 144);
}

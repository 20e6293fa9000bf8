/// The kernels of propagation against their equations, one value at a time.
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "testing.hpp"
#include "tradewind/base/flush_to_zero.hpp"
#include "tradewind/base/random.hpp"
#include "tradewind/models/fvwam/propagation_kernels.hpp"

using namespace tradewind;
using namespace tradewind::fvwam;

namespace {

/// A cell with all that it points to, filled with random numbers.
struct RandomCell {
    RandomCell(std::int64_t directions, std::int64_t frequencies, std::int64_t side_count,
               bool is_deep);
    double uniform(double low, double high) {
        return low + (high - low) * double(mix(++drawn) >> 11) * 0x1p-53;
    }
    std::vector<double> numbers(std::int64_t count, double low, double high) {
        std::vector<double> made;
        for (std::int64_t n = 0; n < count; ++n) made.push_back(uniform(low, high));
        return made;
    }
    /// Returns the value at an end between `here` and `there` for waves of a rate.
    static double face(double rate, double courant, double behind, double here, double there,
                       double beyond);
    [[nodiscard]] std::vector<double> expected(bool is_limited) const;

    std::uint64_t drawn = 0;
    std::vector<double> own;
    std::vector<double> next;
    std::vector<std::vector<double>> others;
    std::vector<std::vector<double>> velocities;
    std::vector<double> circle;
    std::vector<double> turning;
    std::vector<double> work;
    std::vector<PropagationSide<double>> sides;
    PropagationCell<double> cell{};
};

RandomCell::RandomCell(std::int64_t directions, std::int64_t frequencies, std::int64_t side_count,
                       bool is_deep) {
    const std::int64_t size = directions * frequencies;
    own = numbers(size, 0.0, 1.0);
    next.assign(std::size_t(size), -1.0);
    for (std::int64_t n = 0; n < 3 * side_count; ++n) others.push_back(numbers(size, 0.0, 1.0));
    for (std::int64_t e = 0; e <= side_count; ++e)
        velocities.push_back(is_deep && e > 0 ? velocities[0] : numbers(frequencies, 2.0, 20.0));
    for (int quarter = 0; quarter < 4; ++quarter) {
        for (std::int64_t k = 0; k < directions; ++k) {
            const double place = quarter < 2 ? double(k) : double(k + 1);
            const double angle = 2 * std::numbers::pi * place / double(directions);
            circle.push_back(quarter % 2 == 0 ? std::sin(angle) : std::cos(angle));
        }
    }
    turning = numbers(frequencies, 0.0, 1.0);
    work.resize(std::size_t(work_size<double>(side_count, directions)));
    for (std::int64_t e = 0; e < side_count; ++e) {
        const double angle = 2 * std::numbers::pi * double(e) / double(side_count);
        const auto first = std::size_t(3 * e);
        sides.push_back({others[first].data(), others[first + 1].data(), others[first + 2].data(),
                         velocities[std::size_t(e)].data(), 0.005 * std::cos(angle),
                         0.005 * std::sin(angle), uniform(0.0, 2.0)});
    }
    cell = {directions,
            frequencies,
            side_count,
            sides.data(),
            is_deep ? 0 : frequencies,
            is_deep ? 0 : frequencies,
            own.data(),
            next.data(),
            own.data(),
            own.data(),
            circle.data(),
            velocities.back().data(),
            turning.data(),
            1,
            is_deep ? 0.0 : 0.1,
            is_deep ? 0.0 : -0.2,
            0.01,
            work.data()};
}

double RandomCell::face(double rate, double courant, double behind, double here, double there,
                        double beyond) {
    const double upwind = rate > 0 ? here : there;
    const double before = rate > 0 ? here - behind : there - beyond;
    const double after = rate > 0 ? there - here : here - there;
    if (before * after <= 0) return upwind;
    const double ratio = before / after;
    const double limiter = 2 * ratio / (1 + ratio);
    return upwind + 0.5 * limiter * (1 - courant) * after;
}

std::vector<double> RandomCell::expected(bool is_limited) const {
    const std::int64_t directions = cell.directions;
    std::vector<double> result(own.size());
    const auto value = [&](double rate, double courant, double behind, double here, double there,
                           double beyond) {
        if (!is_limited) return rate > 0 ? here : there;
        return face(rate, courant, behind, here, there, beyond);
    };
    for (std::int64_t m = 0; m < cell.frequencies; ++m) {
        std::vector<double> crossed;
        for (std::int64_t k = 0; k < directions; ++k) {
            const auto place = std::size_t(m * directions + k);
            double sum = 0.0;
            for (const PropagationSide<double>& side : sides) {
                const double rate =
                    side.group_velocity[m] * (circle[std::size_t(k)] * side.east +
                                              circle[std::size_t(directions + k)] * side.north);
                sum += rate * value(rate, side.shape * std::abs(rate), side.behind[place],
                                    own[place], side.neighbor[place], side.beyond[place]);
            }
            crossed.push_back(own[place] - sum);
        }
        const auto at = [&](std::int64_t k) {
            return crossed[std::size_t((k + 2 * directions) % directions)];
        };
        const auto flux = [&](std::int64_t k) {
            const auto end = std::size_t(2 * directions + (k + directions) % directions);
            const double sine = circle[end];
            const double cosine = circle[end + std::size_t(directions)];
            const double speed =
                turning[std::size_t(m)] * (sine * cell.slope_north - cosine * cell.slope_east) +
                cell.group_velocity[m] * sine * cell.great_circle;
            return speed * value(speed, std::abs(speed), at(k - 1), at(k), at(k + 1), at(k + 2));
        };
        for (std::int64_t k = 0; k < directions; ++k)
            result[std::size_t(m * directions + k)] = at(k) - (flux(k) - flux(k - 1));
    }
    return result;
}

}  // namespace

TEST_CASE("kernels of propagation make what their equations say") {
    for (const std::int64_t directions : {3, 5, 8, 12, 24, 36, 37}) {
        for (const std::int64_t side_count : {0, 5, 6, 7}) {
            for (const bool is_deep : {true, false}) {
                // Frequencies at once, and some more.
                RandomCell random(directions, 7, side_count, is_deep);
                for (const bool is_limited : {false, true}) {
                    CAPTURE(directions, side_count, is_deep, is_limited);
                    is_limited ? advance_limited(random.cell) : advance_upwind(random.cell);
                    const std::vector<double> expected = random.expected(is_limited);
                    double worst = 0.0;
                    for (std::size_t n = 0; n < expected.size(); ++n)
                        worst = std::max(worst, std::abs(random.next[n] - expected[n]));
                    CHECK(worst < 1e-13);
                }
            }
        }
    }
}

TEST_CASE("numbers below the smallest normal one are zero in the scope of a kernel only") {
    volatile double small = 1e-155;
    volatile float below_normal = 1e-40F;
    CHECK(small * small > 0);
    {
        const FlushToZero scope;
        CHECK(small * small == 0);
        CHECK(below_normal * 1e10F == 0);
    }
    CHECK(small * small > 0);
    CHECK(below_normal * 1e10F > 0);
}

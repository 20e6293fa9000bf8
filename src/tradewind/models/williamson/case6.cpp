/// Case 6: a Rossby-Haurwitz wave of wavenumber 4.
#include <cmath>

#include "tradewind/models/williamson/cases.hpp"

namespace tradewind::williamson {

namespace {

constexpr double R = 4;
constexpr double omega = 7.848e-6;
constexpr double K = omega;
constexpr double level = 8000.0;

/// Returns cos^n for a small integer n, without the cost of pow.
double power(double base, int exponent) {
    double result = 1;
    for (int i = 0; i < exponent; ++i) result *= base;
    return result;
}

class RossbyHaurwitz final : public TestCase {
public:
    [[nodiscard]] FlowState initial(LonLat at) const override {
        const double s = std::sin(at.theta);
        const double c = std::cos(at.theta);
        const double wave = std::cos(R * at.lambda);
        const double c3 = power(c, 3);
        const double c4 = c3 * c;
        const double c8 = c4 * c4;
        const HorizontalWind wind{radius * omega * c + radius * K * c3 * (R * s * s - c * c) * wave,
                                  -radius * K * R * c3 * s * std::sin(R * at.lambda)};
        // The term cos^8 (... - 2 R^2 cos^-2) is written without the division because of the poles.
        const double A =
            0.5 * omega * (2 * rotation + omega) * c * c +
            0.25 * K * K * (c8 * ((R + 1) * c * c + 2 * R * R - R - 2) - 2 * R * R * c3 * c3);
        const double B = 2 * (rotation + omega) * K / ((R + 1) * (R + 2)) * c4 *
                         (R * R + 2 * R + 2 - (R + 1) * (R + 1) * c * c);
        const double C = 0.25 * K * K * c8 * ((R + 1) * c * c - (R + 2));
        return {wind, gravity * level +
                          radius * radius * (A + B * wave + C * std::cos(2 * R * at.lambda))};
    }
};

}  // namespace

std::unique_ptr<TestCase> make_case6(double /*alpha*/) {
    return std::make_unique<RossbyHaurwitz>();
}

}  // namespace tradewind::williamson

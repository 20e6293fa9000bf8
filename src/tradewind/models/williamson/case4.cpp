/// Case 4: a low that travels in a zonal flow and is maintained by forcing.
///
/// u = ub - psi_theta / a, v = psi_lambda / (a cos theta), Phi = balanced(ub) + f psi with
/// psi = psi0 exp(-sigma (1 - C) / (1 + C)). C is the cosine of the angle to the low's centre,
/// which moves eastward with 20 m/s / a. The forcing is the residual of the equations for this
/// flow.
#include <cmath>
#include <numbers>

#include "tradewind/models/williamson/cases.hpp"
#include "tradewind/models/williamson/zonal.hpp"

namespace tradewind::williamson {

namespace {

constexpr double level = 1e5;
constexpr double speed = 20.0;
constexpr double sigma = 12.74244 * 12.74244;
constexpr LonLat centre{0.0, std::numbers::pi / 4};
constexpr double angular_speed = speed / radius;

double zonal_wind(double theta) {
    return speed * std::pow(std::sin(2 * theta), 14);
}
double zonal_wind_slope(double theta) {
    return 28 * speed * std::pow(std::sin(2 * theta), 13) * std::cos(2 * theta);
}

/// The stream function psi and its derivatives.
struct StreamFunction {
    double value;
    double lambda;
    double theta;
    double lambda_lambda;
    double lambda_theta;
    double theta_theta;
};

StreamFunction stream_function(LonLat at, double time) {
    const double depth = -0.03 * level / (2 * rotation * std::sin(centre.theta));
    const double angle = at.lambda - angular_speed * time - centre.lambda;
    const double s = std::sin(at.theta);
    const double c = std::cos(at.theta);
    const double s0 = std::sin(centre.theta);
    const double c0 = std::cos(centre.theta);
    const double cosine = s0 * s + c0 * c * std::cos(angle);
    // This is exp(-sigma (1 - C) / (1 + C)) with its derivatives by C; all vanish at the antipode,
    // C = -1.
    const double opening = 1 + cosine;
    if (opening < 1e-6) return {};
    const double value = depth * std::exp(-sigma * (1 - cosine) / opening);
    const double slope = 2 * sigma / (opening * opening);
    const double first = value * slope;
    const double second = value * (slope * slope - 2 * slope / opening);
    const double by_lambda = -c0 * c * std::sin(angle);
    const double by_theta = s0 * c - c0 * s * std::cos(angle);
    return {value,
            first * by_lambda,
            first * by_theta,
            second * by_lambda * by_lambda - first * c0 * c * std::cos(angle),
            second * by_lambda * by_theta + first * c0 * s * std::sin(angle),
            second * by_theta * by_theta - first * cosine};
}

class TravellingLow final : public TestCase {
public:
    TravellingLow() : balance_(level, zonal_wind) {}

    [[nodiscard]] FlowState initial(LonLat at) const override { return solution(at, 0.0); }
    [[nodiscard]] bool has_solution() const override { return true; }
    [[nodiscard]] bool is_forced() const override { return true; }

    [[nodiscard]] FlowState solution(LonLat at, double time) const override {
        const StreamFunction psi = stream_function(at, time);
        const FlowState zonal = background(at);
        return {{zonal.wind.east - psi.theta / radius, psi.lambda / (radius * std::cos(at.theta))},
                zonal.geopotential + coriolis(at) * psi.value};
    }

    [[nodiscard]] FlowState background(LonLat at) const override {
        return {{zonal_wind(at.theta), 0.0}, balance_(at.theta)};
    }

    [[nodiscard]] Forcing forcing(LonLat at, double time) const override {
        const StreamFunction psi = stream_function(at, time);
        const double f = coriolis(at);
        const double c = std::cos(at.theta);
        const double tangent = std::tan(at.theta);
        const double zonal = zonal_wind(at.theta);
        const double u = zonal - psi.theta / radius;
        const double v = psi.lambda / (radius * c);
        const double u_lambda = -psi.lambda_theta / radius;
        const double u_theta = zonal_wind_slope(at.theta) - psi.theta_theta / radius;
        const double v_lambda = psi.lambda_lambda / (radius * c);
        const double v_theta = psi.lambda_theta / (radius * c) + tangent * v;
        const double phi_lambda = f * psi.lambda;
        const double phi_theta = -(radius * f * zonal + zonal * zonal * tangent) +
                                 2 * rotation * c * psi.value + f * psi.theta;
        const auto advected = [&](double by_lambda, double by_theta) {
            return (u / c * by_lambda + v * by_theta) / radius;
        };
        const double turn = u * tangent / radius + f;
        return {{-angular_speed * u_lambda + advected(u_lambda, u_theta) - turn * v +
                     phi_lambda / (radius * c),
                 -angular_speed * v_lambda + advected(v_lambda, v_theta) + turn * u +
                     phi_theta / radius},
                -angular_speed * phi_lambda + advected(phi_lambda, phi_theta)};
    }

private:
    BalancedGeopotential balance_;
};

}  // namespace

std::unique_ptr<TestCase> make_case4(double /*alpha*/) {
    return std::make_unique<TravellingLow>();
}

}  // namespace tradewind::williamson

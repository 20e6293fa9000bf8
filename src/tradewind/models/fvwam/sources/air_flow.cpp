#include "tradewind/models/fvwam/sources/air_flow.hpp"

#include <algorithm>
#include <cmath>

#include "tradewind/models/fvwam/sources/vectors.hpp"
#include "tradewind/models/fvwam/spectrum.hpp"

namespace tradewind::fvwam {

namespace {

constexpr double wind_height = 10.0;      // m
constexpr double air_viscosity = 1.5e-5;  // m2/s
/// The least speed in m/s that is treated as wind.
constexpr double least_speed = 0.01;
/// The least difference between the stress and that of waves, in m2/s2 and in units of the stress.
constexpr double least_difference = 1e-5;
constexpr double largest_roughness = 1.0;  // m
/// The roughness of the smoothest sea, of which logarithms are taken.
constexpr double least_roughness = 1e-8;  // m
constexpr int most_iterations = 60;

/// Points of the rule of Simpson, an odd number, in vectors of which the last one has padding.
constexpr int points = 19;
constexpr int padded_points = 24;
static_assert(padded_points % lanes<double> == 0);

struct SimpsonWeights {
    double values[padded_points];
};
constexpr SimpsonWeights simpson_weights() {
    SimpsonWeights weights{};
    for (int j = 0; j < points; ++j)
        weights.values[j] = (j == 0 || j == points - 1 ? 1.0 : j % 2 == 1 ? 4.0 : 2.0) / 3;
    return weights;
}
constexpr SimpsonWeights simpson = simpson_weights();

/// Computes the integral over y = ln(omega sqrt(z0 / g)) from `first` in steps of `step`.
TRADEWIND_CLONES
double tail_integral(double first, double step, double inverse_age_per_y) {
    Vector<double> sum{};
    for (int j = 0; j < padded_points; j += lanes<double>) {
        Vector<double> y{};
        for (int n = 0; n < lanes<double>; ++n) y[n] = first + step * double(j + n);
        Vector<double> ratio;
        exponential<double>(y, ratio);
        const Vector<double> x = ratio * inverse_age_per_y + growth_shift;
        const Vector<double> log = 2.0 * y + von_karman / x;
        const Vector<double> log_mu = log < 0.0 ? log : 0.0 * log;
        Vector<double> mu;
        exponential<double>(log_mu, mu);
        const Vector<double> square = log_mu * log_mu;
        sum += at(simpson.values + j) * (mu * square * square);
    }
    return total<double>(sum) * step;
}

/// The difference between a friction velocity and that of the profile with its roughness, and the
/// derivative of the difference.
struct ProfileError {
    double value;
    double slope;
    double roughness;
};
[[nodiscard]] ProfileError profile_error(double velocity, double wind, double wave_stress) {
    const double stress = velocity * velocity;
    const double share = std::max(1 - wave_stress / stress, least_difference);
    const double free = smallest_charnock / gravity * stress / std::sqrt(share);
    const double roughness = std::min(free, largest_roughness);
    const double viscous = 0.11 * air_viscosity / velocity;
    const double all = roughness + viscous;
    const double per_log = 1 / logarithm_of(wind_height / all);
    // d ln z0 / d ln u*
    const double power = (roughness * (3 - 1 / share) - viscous) / all;
    return {velocity - wind * per_log, 1 - wind * per_log * per_log * power / velocity, roughness};
}

}  // namespace

/// Solves for u* by Newton's method. An interval around the solution becomes smaller, and is
/// halved instead where Newton's method would leave it or converge slowly.
AirFlow air_flow(double speed, double wave_stress) {
    constexpr double tolerance = 1e-12;
    const double wind = von_karman * std::max(speed, least_speed);
    double low = std::sqrt(wave_stress + least_difference);
    double high = std::max(low, 0.5 * wind);
    // At the lower end the roughness is singular, and Newton's method slow.
    const double start = std::max(simple_friction_velocity(speed), 1.02 * low);
    double velocity = std::min(start, high);
    double step = high - low;
    ProfileError error = profile_error(velocity, wind, wave_stress);
    for (int i = 0; i < most_iterations && high > low; ++i) {
        if (std::abs(error.value) <= tolerance * velocity * std::abs(error.slope)) break;
        (error.value < 0 ? low : high) = velocity;
        double next = velocity - error.value / error.slope;
        const bool is_slow = std::abs(2 * error.value) > std::abs(step * error.slope);
        if (is_slow || !(next > low) || !(next < high)) next = 0.5 * (low + high);
        step = next - velocity;
        if (std::abs(step) <= tolerance * velocity) break;
        velocity = next;
        error = profile_error(velocity, wind, wave_stress);
    }
    return {velocity, error.roughness};
}

double simple_friction_velocity(double speed) {
    return speed * std::sqrt((0.8 + 0.065 * speed) * 1e-3);
}

AirFlow with_limited_drag(const AirFlow& air, double speed, double largest_drag) {
    const double velocity = std::sqrt(largest_drag) * std::max(speed, least_speed);
    if (air.friction_velocity <= velocity) return air;
    const double all = wind_height * std::exp(-von_karman / std::sqrt(largest_drag));
    const double roughness = all - 0.11 * air_viscosity / velocity;
    const double least = std::min(least_roughness, air.roughness);
    return {velocity, std::clamp(roughness, least, air.roughness)};
}

double high_frequency_stress(const AirFlow& air, double angular) {
    const double scale = std::sqrt(air.roughness / gravity);
    const double first = logarithm_of(angular * scale);
    if (first >= 0) return 0.0;
    const double step = -first / (points - 1);
    const double integral = tail_integral(first, step, air.friction_velocity / (gravity * scale));
    return growth_factor / (von_karman * von_karman) * integral;
}

}  // namespace tradewind::fvwam

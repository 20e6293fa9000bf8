/// Source: Jablonowski and Williamson (2006), equations 2 to 10.
#include "tradewind/models/homme/initial_state.hpp"

#include <cmath>
#include <numbers>

namespace tradewind::homme {

namespace {

constexpr double pi = std::numbers::pi;
constexpr double jet_speed = 35.0;             // m/s
constexpr double jet_height = 0.252;           // eta
constexpr double tropopause = 0.2;             // eta
constexpr double surface_temperature = 288.0;  // K
constexpr double lapse_rate = 0.005;           // K/m
constexpr double stratosphere = 4.8e5;         // K
constexpr double perturbation_speed = 1.0;     // m/s
constexpr double perturbation_width = 0.1;     // of the radius

[[nodiscard]] double phase(double eta) {
    return (eta - jet_height) * pi / 2;
}

/// Returns the two functions of latitude that balance the jet.
struct Balance {
    double square;
    double rotation;
};
[[nodiscard]] Balance balance(const JablonowskiWilliamson& flow, double latitude) {
    const double sine = std::sin(latitude);
    const double cosine = std::cos(latitude);
    const double sine2 = sine * sine;
    const double cosine2 = cosine * cosine;
    return {-2 * sine2 * sine2 * sine2 * (cosine2 + 1.0 / 3) + 10.0 / 63,
            (1.6 * cosine2 * cosine * (sine2 + 2.0 / 3) - pi / 4) * flow.radius * flow.rotation};
}

}  // namespace

double JablonowskiWilliamson::wind(double longitude, double latitude, double eta) const {
    const double sine = std::sin(2 * latitude);
    const double jet = jet_speed * std::pow(std::cos(phase(eta)), 1.5) * sine * sine;
    if (!is_perturbed) return jet;
    constexpr double centre_longitude = pi / 9;
    constexpr double centre_latitude = 2 * pi / 9;
    const double cosine =
        std::sin(centre_latitude) * std::sin(latitude) +
        std::cos(centre_latitude) * std::cos(latitude) * std::cos(longitude - centre_longitude);
    const double angle = std::acos(std::fmin(1.0, std::fmax(-1.0, cosine)));
    const double distance = angle / perturbation_width;
    return jet + perturbation_speed * std::exp(-distance * distance);
}

double JablonowskiWilliamson::temperature(double latitude, double eta) const {
    double mean = surface_temperature * std::pow(eta, gas_constant * lapse_rate / gravity);
    if (eta < tropopause) mean += stratosphere * std::pow(tropopause - eta, 5);
    const auto [square, turn] = balance(*this, latitude);
    const double cosine = std::cos(phase(eta));
    return mean + 0.75 * eta * pi * jet_speed / gas_constant * std::sin(phase(eta)) *
                      std::sqrt(cosine) * (2 * jet_speed * std::pow(cosine, 1.5) * square + turn);
}

double JablonowskiWilliamson::surface_geopotential(double latitude) const {
    const auto [square, turn] = balance(*this, latitude);
    const double speed = jet_speed * std::pow(std::cos(phase(1.0)), 1.5);
    return speed * (speed * square + turn);
}

}  // namespace tradewind::homme

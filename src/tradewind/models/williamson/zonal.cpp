/// The inclined axis, and the quadrature of the balance.
#include "tradewind/models/williamson/zonal.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tradewind/models/spectral/gauss.hpp"

namespace tradewind::williamson {

namespace {

constexpr std::int64_t pieces = 512;
constexpr double piece_length = std::numbers::pi / double(pieces);
constexpr double south_pole = -std::numbers::pi / 2;

}  // namespace

RotationAxis::RotationAxis(double alpha) : sine_(std::sin(alpha)), cosine_(std::cos(alpha)) {}

double RotationAxis::sine(LonLat at) const {
    return std::sin(at.theta) * cosine_ - std::cos(at.theta) * std::cos(at.lambda) * sine_;
}

HorizontalWind RotationAxis::rotation_wind(LonLat at) const {
    return {std::cos(at.theta) * cosine_ + std::sin(at.theta) * std::cos(at.lambda) * sine_,
            -std::sin(at.lambda) * sine_};
}

BalancedGeopotential::BalancedGeopotential(double level, std::function<double(double)> wind)
    : wind_(std::move(wind)) {
    const spectral::GaussNodes rule = spectral::gauss_nodes(8);
    nodes_ = rule.mu;
    weights_ = rule.weight;
    at_ends_.push_back(level);
    for (std::int64_t i = 0; i < pieces; ++i) {
        const double from = south_pole + double(i) * piece_length;
        at_ends_.push_back(at_ends_.back() - integral(from, from + piece_length));
    }
}

double BalancedGeopotential::operator()(double theta) const {
    const auto piece =
        std::clamp(std::int64_t((theta - south_pole) / piece_length), std::int64_t{0}, pieces - 1);
    const double from = south_pole + double(piece) * piece_length;
    return at_ends_[std::size_t(piece)] - integral(from, theta);
}

double BalancedGeopotential::integral(double from, double to) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        const double t = 0.5 * (from + to) + 0.5 * (to - from) * nodes_[i];
        const double u = wind_(t);
        sum += weights_[i] * (2 * rotation * radius * std::sin(t) + u * std::tan(t)) * u;
    }
    return 0.5 * (to - from) * sum;
}

}  // namespace tradewind::williamson

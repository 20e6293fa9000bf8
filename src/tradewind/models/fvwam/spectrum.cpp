#include "tradewind/models/fvwam/spectrum.hpp"

#include <cmath>
#include <numbers>

namespace tradewind::fvwam {

namespace {

constexpr double full_turn = 2 * std::numbers::pi;

}  // namespace

SpectralGrid::SpectralGrid(std::int64_t directions, std::int64_t frequencies, double first,
                           double ratio)
    : sector_(full_turn / double(directions)), ratio_(ratio) {
    for (std::int64_t k = 0; k < directions; ++k) {
        direction_.push_back((double(k) + 0.5) * sector_);
        east_.push_back(std::sin(direction_.back()));
        north_.push_back(std::cos(direction_.back()));
    }
    for (std::int64_t m = 0; m < frequencies; ++m)
        frequency_.push_back(first * std::pow(ratio, double(m)));
    for (std::int64_t m = 0; m < frequencies; ++m) {
        const double below = frequency_[std::size_t(m > 0 ? m - 1 : m)];
        const double above = frequency_[std::size_t(m + 1 < frequencies ? m + 1 : m)];
        bandwidth_.push_back(frequencies > 1 ? 0.5 * (above - below) : frequency_.front());
    }
}

double SpectralGrid::angular(std::int64_t m) const {
    return full_turn * frequency(m);
}

}  // namespace tradewind::fvwam

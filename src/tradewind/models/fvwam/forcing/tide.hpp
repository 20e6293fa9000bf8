/// Tide: a water level that is the same everywhere and varies in time.
#pragma once

#include <cmath>
#include <numbers>

namespace tradewind::fvwam {

struct Tide {
    double amplitude = 0.0;  // m
    double period = 0.0;     // s
    /// The phase at the beginning in rad: 0 at the mean level, rising.
    double phase = 0.0;

    /// Returns the level above that of the mesh's depths in m, at a time in s.
    [[nodiscard]] double level(double time) const {
        return amplitude * std::sin(2 * std::numbers::pi * time / period + phase);
    }
};

}  // namespace tradewind::fvwam

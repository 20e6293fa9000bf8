/// The forcing and memory of a cell, and the choice of source terms.
#pragma once

#include <cstdint>

namespace tradewind::fvwam {

/// The source terms of WAM cycle 4 (Janssen's input, coupled to the stress of the wind) or of
/// cycle 3 (Snyder's input).
enum class Physics : std::uint8_t { wam4, wam3 };

/// The wind at 10 m: its speed in m/s, and the direction in which it blows in rad, clockwise from
/// north.
struct Wind {
    double speed;
    double direction;
};

/// The memory of a cell from one step to the next; all zero at first. Only the wave stress is read
/// by the next step; the others describe the last one.
template <class Real>
struct Roughness {
    Real wave_stress = 0;        // m2/s2, per density of air
    Real friction_velocity = 0;  // m/s
    Real length = 0;             // m
};

}  // namespace tradewind::fvwam

/// Trajectories: the departure point of the air that arrives at a grid point.
#pragma once

#include <cstdint>

#include "tradewind/models/semi_lagrangian/flow.hpp"

namespace tradewind::semi_lagrangian {

struct DeparturePoint {
    SpherePoint place;
    /// The great-circle angle between arrival and departure.
    double angle = 0.0;
};

struct TrajectoryTime {
    double arrival = 0.0;  // s
    double step = 0.0;     // s
    std::int64_t iterations = 4;
};

/// Follows the wind back by one time step by the iterated midpoint rule on great circles:
///
///     r_M = R(n, -theta) r_A,   n = r_M x V / |V|,  theta = |V| dt / (2 a),   V = V(r_M, t - dt/2)
///     r_D = R(n, -2 theta) r_A,                     z_D = z_A - dt w
///
/// The iteration starts from r_M = r_A. R rotates about the unit vector n. Heights stay between 0
/// and `top`. The error of a step is O(dt^3).
[[nodiscard]] DeparturePoint find_departure(const Flow& flow, const SpherePoint& arrival,
                                            const TrajectoryTime& time);

}  // namespace tradewind::semi_lagrangian

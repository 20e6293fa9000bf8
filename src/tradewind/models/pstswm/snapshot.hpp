/// Snapshot: all fields of the model at one time on one rank, and their diagnostics.
#pragma once

#include <optional>

#include "tradewind/models/pstswm/plan.hpp"
#include "tradewind/models/williamson/flow_errors.hpp"

namespace tradewind::pstswm {

/// The fields at one time, each [level][latitude from the north][longitude].
struct Snapshot {
    std::int64_t step = 0;
    double time = 0.0;  // s
    std::vector<double> east_wind;
    std::vector<double> north_wind;
    std::vector<double> depth;  // h*, m
    std::vector<double> vorticity;
    std::vector<double> divergence;
};

/// Diagnostics of one level. Means are over the sphere; h* is the depth, H = h* + h_s the height of
/// the surface.
struct Diagnostics {
    double mass = 0.0;                 // mean h*, m
    double energy = 0.0;               // mean of h* |v|^2 / 2 + g (H^2 - h_s^2) / 2
    double potential_enstrophy = 0.0;  // mean of eta^2 / (2 h*)
    double vorticity = 0.0;
    double divergence = 0.0;
    double surface_mean = 0.0;  // of H, m
    double surface_variance = 0.0;
    double lowest_depth = 0.0;
    double highest_depth = 0.0;
    double fastest_wind = 0.0;
    /// The errors, if the case has a solution.
    std::optional<williamson::FlowErrors> errors;
};

[[nodiscard]] Diagnostics diagnose(const ShallowWaterPlan& plan, const Snapshot& snapshot,
                                   std::int64_t level);

}  // namespace tradewind::pstswm

/// The computation of a step, as a skeleton charges it.
#pragma once

#include "tradewind/comm/comm.hpp"
#include "tradewind/models/fvwam/plan.hpp"
#include "tradewind/models/fvwam/propagation_kernels.hpp"

namespace tradewind::fvwam {

/// The sides of a cell, on average: 6 but for twelve pentagons.
inline constexpr double usual_sides = 6.0;
/// Operations of the source terms per value, counted in their kernels.
inline constexpr double source_flops = 220.0;

/// Returns the work of a stage of propagation in `cells` cells. It reads and writes each spectrum
/// once; those of neighbours are in cache.
[[nodiscard]] inline Work propagation_work(const WavePlan& plan, std::int64_t cells) {
    const double values = double(cells * plan.spectrum.size());
    const bool is_limited = plan.scheme != Scheme::upwind;
    const double flops = is_limited ? usual_sides * limited_side_flops + limited_turning_flops
                                    : usual_sides * upwind_side_flops + upwind_turning_flops;
    return {values * flops, Bytes(values * 3 * double(plan.value_bytes()))};
}

[[nodiscard]] inline Work source_work(const WavePlan& plan, std::int64_t cells) {
    const double values = double(cells * plan.spectrum.size());
    return {values * source_flops, Bytes(values * 2 * double(plan.value_bytes()))};
}

}  // namespace tradewind::fvwam

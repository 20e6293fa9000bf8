/// Parts of the stages that both sets of equations have in common.
#pragma once

#include "tradewind/models/homme/dg/dg_kernels.hpp"
#include "tradewind/models/homme/mesh/operators.hpp"

namespace tradewind::homme {

using DgBlock = Values<dg_np>;

/// Computes the larger of the magnitudes of two speeds.
TRADEWIND_INLINE void find_larger(const Lanes& a, const Lanes& b, Lanes& larger) {
    const Lanes first = a < 0.0 ? -a : a;
    const Lanes second = b < 0.0 ? -b : b;
    larger = first < second ? second : first;
}

/// Adds the viscosity of the wind: the divergence of its gradients.
TRADEWIND_INLINE void add_viscosity(const DgDerivatives& d, const DgElement& element,
                                    std::int64_t b, double viscosity,
                                    const ConstElementFields& gradients,
                                    const ConstElementFields& gradient_traces, Lanes* drag_east,
                                    Lanes* drag_north) {
    for (std::size_t component = 0; component < 2; ++component) {
        const Lanes* const first = gradients[2 * component] + b * dg_points;
        const Lanes* const second = gradients[2 * component + 1] + b * dg_points;
        DgBlock result;
        divergence<dg_np>(d, element.metric, first, second, result);
        for (int t = 0; t < dg_traces; ++t) {
            const int p = element.edges.point[t];
            const std::int64_t other = b * dg_trace_slots + t;
            const Lanes jump =
                element.edges.normal[t][0] * (gradient_traces[2 * component][other] - first[p]) +
                element.edges.normal[t][1] *
                    (gradient_traces[2 * component + 1][other] - second[p]);
            result[p] += 0.5 * element.edges.lift[t] * jump;
        }
        Lanes* const drag = component == 0 ? drag_east : drag_north;
        for (int p = 0; p < dg_points; ++p) drag[p] += viscosity * result[p];
    }
}

}  // namespace tradewind::homme

/// The edges of an element: points, outward normals, and the factors that lift fluxes.
#pragma once

#include <cmath>

#include "tradewind/models/homme/mesh/cubed_sphere.hpp"
#include "tradewind/models/homme/mesh/metric.hpp"

namespace tradewind::homme {

/// Returns the k-th point of an edge, in the direction of x or y.
[[nodiscard]] constexpr int edge_point(int edge, int k, int np) noexcept {
    switch (edge) {
        case 0:
            return k;
        case 1:
            return k * np + np - 1;
        case 2:
            return (np - 1) * np + k;
        default:
            return k * np;
    }
}

/// Metric terms of the four edges; the trace of point k of an edge has number edge * np + k.
template <int NP>
struct ElementEdges {
    static constexpr int traces = edge_sides * NP;

    ElementEdges() = default;
    ElementEdges(const ElementMetric<NP>& metric, const GaussLobatto& rule) {
        for (int edge = 0; edge < edge_sides; ++edge) {
            const bool is_x = edge == 1 || edge == 3;
            const double outward = edge == 1 || edge == 2 ? 1.0 : -1.0;
            for (int k = 0; k < NP; ++k) {
                const int trace = edge * NP + k;
                const int p = edge_point(edge, k, NP);
                // The gradient of x or y is normal to its edges.
                const double* const slope = metric.from_sphere[p] + (is_x ? 0 : 2);
                const double length = std::hypot(slope[0], slope[1]);
                point[trace] = p;
                normal[trace][0] = outward * slope[0] / length;
                normal[trace][1] = outward * slope[1] / length;
                lift[trace] = length / rule.weights[0];
            }
        }
    }

    int point[traces];
    /// The unit vector to the east and north that points out of the element.
    double normal[traces][2];
    /// The length of the edge per area of the element that a flux through the edge changes, in 1/m.
    double lift[traces];
};

}  // namespace tradewind::homme

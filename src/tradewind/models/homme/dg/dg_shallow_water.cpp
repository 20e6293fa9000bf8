/// Kernels by blocks of four layers.
#include "tradewind/models/homme/dg/dg_shallow_water.hpp"

#include <algorithm>

#include "tradewind/base/interrupts.hpp"
#include "tradewind/models/homme/constants.hpp"
#include "tradewind/models/homme/dg/dg_operators.hpp"

namespace tradewind::homme {

namespace {

constexpr int P = dg_points;

/// The fields of one block of layers, and what changes them.
struct Layers {
    DgBlock u;
    DgBlock v;
    DgBlock h;
    DgBlock energy;
    DgBlock zeta;
    DgBlock outflow;
    DgBlock slope_east;
    DgBlock slope_north;
    DgBlock drag_east;
    DgBlock drag_north;
};

/// Computes vorticity, divergence and gradients within the element.
TRADEWIND_INLINE void differentiate_layers(const DgDerivatives& d, const DgElement& element,
                                           std::int64_t b, const ConstElementFields& of,
                                           Layers& to) {
    DgBlock flux_east;
    DgBlock flux_north;
    std::copy_n(of[east] + b * P, P, to.u);
    std::copy_n(of[north] + b * P, P, to.v);
    std::copy_n(of[depth] + b * P, P, to.h);
    for (int p = 0; p < P; ++p) {
        to.energy[p] = 0.5 * (to.u[p] * to.u[p] + to.v[p] * to.v[p]) + gravity * to.h[p] +
                       element.surface_geopotential[p];
        flux_east[p] = to.u[p] * to.h[p];
        flux_north[p] = to.v[p] * to.h[p];
        to.drag_east[p] = Lanes{};
        to.drag_north[p] = Lanes{};
    }
    vorticity<dg_np>(d, element.metric, to.u, to.v, to.zeta);
    divergence<dg_np>(d, element.metric, flux_east, flux_north, to.outflow);
    gradient<dg_np>(d, element.metric, to.energy, to.slope_east, to.slope_north);
}

/// Adds the difference between the fluxes of both sides and those of the element, edge by edge.
TRADEWIND_INLINE void add_edges(const DgElement& element, std::int64_t b, double wave_speed,
                                const ConstElementFields& traces, Layers& to) {
    for (int t = 0; t < dg_traces; ++t) {
        const int p = element.edges.point[t];
        const std::int64_t other = b * dg_trace_slots + t;
        const double n_east = element.edges.normal[t][0];
        const double n_north = element.edges.normal[t][1];
        const double half = 0.5 * element.edges.lift[t];
        const Lanes u = traces[east][other];
        const Lanes v = traces[north][other];
        const Lanes h = traces[depth][other];
        const Lanes through = n_east * to.u[p] + n_north * to.v[p];
        const Lanes through_out = n_east * u + n_north * v;
        Lanes c;
        find_larger(through, through_out, c);
        c += wave_speed;
        to.outflow[p] += half * (through_out * h - through * to.h[p] - c * (h - to.h[p]));
        const Lanes du = u - to.u[p];
        const Lanes dv = v - to.v[p];
        to.zeta[p] += half * (n_east * dv - n_north * du);
        const Lanes energy = 0.5 * (u * u + v * v) + gravity * h + element.surface_geopotential[p];
        const Lanes rise = half * (energy - to.energy[p]);
        to.slope_east[p] += n_east * rise;
        to.slope_north[p] += n_north * rise;
        to.drag_east[p] += half * c * du;
        to.drag_north[p] += half * c * dv;
    }
}

}  // namespace

TRADEWIND_CLONES
void dg_shallow_water_stage(const DgDerivatives& d, const DgElement& element,
                            const VerticalGrid& column, const DgStage& stage,
                            const ConstElementFields& a, const ConstElementFields& of,
                            const ConstElementFields& traces, const ConstElementFields& gradients,
                            const ConstElementFields& gradient_traces,
                            const ElementFields& result) {
    check_interrupts(column.blocks * dg_points * 16);
    for (std::int64_t b = 0; b < column.blocks; ++b) {
        Layers layers;
        differentiate_layers(d, element, b, of, layers);
        add_edges(element, b, stage.wave_speed, traces, layers);
        if (stage.viscosity > 0.0)
            add_viscosity(d, element, b, stage.viscosity, gradients, gradient_traces,
                          layers.drag_east, layers.drag_north);
        for (int p = 0; p < P; ++p) {
            const std::int64_t at = b * P + p;
            const Lanes absolute = layers.zeta[p] + element.coriolis[p];
            const Lanes du = layers.v[p] * absolute - layers.slope_east[p] + layers.drag_east[p];
            const Lanes dv =
                -(layers.u[p] * absolute) - layers.slope_north[p] + layers.drag_north[p];
            result[east][at] =
                stage.first * a[east][at] + stage.second * (layers.u[p] + stage.step * du);
            result[north][at] =
                stage.first * a[north][at] + stage.second * (layers.v[p] + stage.step * dv);
            result[depth][at] = stage.first * a[depth][at] +
                                stage.second * (layers.h[p] - stage.step * layers.outflow[p]);
        }
    }
}

}  // namespace tradewind::homme

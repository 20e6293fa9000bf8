/// Kernels by blocks of four levels, as in se_kernels.cpp.
#include "tradewind/models/homme/dg/dg_kernels.hpp"

#include "tradewind/base/interrupts.hpp"
#include "tradewind/models/homme/columns.hpp"
#include "tradewind/models/homme/constants.hpp"
#include "tradewind/models/homme/dg/dg_operators.hpp"

namespace tradewind::homme {

namespace {

constexpr int P = dg_points;
constexpr int N = dg_np;

/// Computes pressure and geopotential of the neighbours at the traces.
TRADEWIND_INLINE void integrate_traces(const DgElement& element, const VerticalGrid& column,
                                       const ConstElementFields& traces, DgScratch& scratch) {
    double start[dg_traces];
    for (int t = 0; t < dg_traces; ++t)
        start[t] = element.surface_geopotential[element.edges.point[t]];
    ColumnSums<dg_traces> top(column.top_pressure);
    ColumnSums<dg_traces> ground(start);
    for (std::int64_t b = 0; b < column.blocks; ++b) {
        const std::int64_t first = b * dg_trace_slots;
        Lanes* const pressure = scratch.pressure() + first;
        Lanes* const geopotential = scratch.geopotential() + first;
        sum_downwards<dg_traces>(traces[thickness] + first, top, pressure);
        for (int t = 0; t < dg_traces; ++t) {
            geopotential[t] = gas_constant * traces[temperature][first + t] *
                              traces[thickness][first + t] / pressure[t];
        }
    }
    for (std::int64_t b = column.blocks - 1; b >= 0; --b) {
        Lanes* const geopotential = scratch.geopotential() + b * dg_trace_slots;
        sum_upwards<dg_traces>(geopotential, column.levels - b * spectral::lane_width, ground,
                               geopotential);
    }
}

/// The values of one level block that the edges correct.
struct Corrected {
    DgBlock mass;
    DgBlock heat;
    DgBlock zeta;
    DgBlock slope_east;
    DgBlock slope_north;
    DgBlock pressure_east;
    DgBlock pressure_north;
    DgBlock drag_east;
    DgBlock drag_north;
};

/// Adds the difference between the fluxes of both sides and those of the element, edge by edge.
TRADEWIND_INLINE void add_edges(const DgElement& element, std::int64_t b, const DgStage& stage,
                                const ConstElementFields& of, const ConstElementFields& auxiliary,
                                const ConstElementFields& traces, DgScratch& scratch,
                                Corrected& to) {
    for (int t = 0; t < dg_traces; ++t) {
        const int p = element.edges.point[t];
        const std::int64_t own = b * P + p;
        const std::int64_t other = b * dg_trace_slots + t;
        const double n_east = element.edges.normal[t][0];
        const double n_north = element.edges.normal[t][1];
        const double lift = element.edges.lift[t];
        const Lanes u = of[east][own];
        const Lanes v = of[north][own];
        const Lanes dp = of[thickness][own];
        const Lanes heat = of[temperature][own] * dp;
        const Lanes u_out = traces[east][other];
        const Lanes v_out = traces[north][other];
        const Lanes dp_out = traces[thickness][other];
        const Lanes heat_out = traces[temperature][other] * dp_out;
        const Lanes through = n_east * u + n_north * v;
        const Lanes through_out = n_east * u_out + n_north * v_out;
        Lanes c;
        find_larger(through, through_out, c);
        c += stage.wave_speed;
        const double half = 0.5 * lift;
        to.mass[p] += half * (through_out * dp_out - through * dp - c * (dp_out - dp));
        to.heat[p] += half * (through_out * heat_out - through * heat - c * (heat_out - heat));
        const Lanes du = u_out - u;
        const Lanes dv = v_out - v;
        to.zeta[p] += half * (n_east * dv - n_north * du);
        const Lanes energy = 0.5 * (u * u + v * v) + auxiliary[aux_geopotential][own];
        const Lanes energy_out =
            0.5 * (u_out * u_out + v_out * v_out) + scratch.geopotential()[other];
        const Lanes rise = half * (energy_out - energy);
        to.slope_east[p] += n_east * rise;
        to.slope_north[p] += n_north * rise;
        const Lanes jump = half * (scratch.pressure()[other] - auxiliary[aux_pressure][own]);
        to.pressure_east[p] += n_east * jump;
        to.pressure_north[p] += n_north * jump;
        to.drag_east[p] += half * c * du;
        to.drag_north[p] += half * c * dv;
    }
}

/// Computes divergences, vorticity and gradients within the element.
TRADEWIND_INLINE void differentiate_level(const DgDerivatives& d, const DgElement& element,
                                          std::int64_t b, const ConstElementFields& of,
                                          const ConstElementFields& auxiliary, Corrected& to) {
    const std::int64_t at = b * P;
    const Lanes* const u = of[east] + at;
    const Lanes* const v = of[north] + at;
    const Lanes* const t = of[temperature] + at;
    const Lanes* const dp = of[thickness] + at;
    DgBlock first;
    DgBlock second;
    vorticity<N>(d, element.metric, u, v, to.zeta);
    for (int p = 0; p < P; ++p) {
        first[p] = u[p] * dp[p];
        second[p] = v[p] * dp[p];
    }
    divergence<N>(d, element.metric, first, second, to.mass);
    for (int p = 0; p < P; ++p) {
        first[p] *= t[p];
        second[p] *= t[p];
    }
    divergence<N>(d, element.metric, first, second, to.heat);
    for (int p = 0; p < P; ++p) {
        first[p] = 0.5 * (u[p] * u[p] + v[p] * v[p]) + auxiliary[aux_geopotential][at + p];
        to.pressure_east[p] = auxiliary[aux_east][at + p];
        to.pressure_north[p] = auxiliary[aux_north][at + p];
        to.drag_east[p] = Lanes{};
        to.drag_north[p] = Lanes{};
    }
    gradient<N>(d, element.metric, first, to.slope_east, to.slope_north);
}

/// Finishes a block of levels, whose terms are complete.
TRADEWIND_INLINE void finish_level(const DgElement& element, std::int64_t b, const DgStage& stage,
                                   const ConstElementFields& a, const ConstElementFields& of,
                                   const Lanes* pressure, const Corrected& level,
                                   const Lanes* outflow_above, const ElementFields& result) {
    for (int p = 0; p < P; ++p) {
        const std::int64_t at = b * P + p;
        const Lanes u = of[east][at];
        const Lanes v = of[north][at];
        const Lanes dp = of[thickness][at];
        const Lanes zeta = level.zeta[p] + element.coriolis[p];
        const Lanes factor = gas_constant * of[temperature][at] / pressure[at];
        const Lanes du =
            v * zeta - level.slope_east[p] - factor * level.pressure_east[p] + level.drag_east[p];
        const Lanes dv = -(u * zeta) - level.slope_north[p] - factor * level.pressure_north[p] +
                         level.drag_north[p];
        const Lanes omega =
            u * level.pressure_east[p] + v * level.pressure_north[p] - outflow_above[p];
        const Lanes heat = of[temperature][at] * dp;
        const Lanes heating = kappa * heat * omega / pressure[at] - level.heat[p];
        const Lanes new_dp =
            stage.first * a[thickness][at] + stage.second * (dp - stage.step * level.mass[p]);
        const Lanes new_heat = stage.first * (a[temperature][at] * a[thickness][at]) +
                               stage.second * (heat + stage.step * heating);
        result[east][at] = stage.first * a[east][at] + stage.second * (u + stage.step * du);
        result[north][at] = stage.first * a[north][at] + stage.second * (v + stage.step * dv);
        result[thickness][at] = new_dp;
        result[temperature][at] = new_heat / new_dp;
    }
}

}  // namespace

TRADEWIND_CLONES
void dg_prepare(const DgDerivatives& d, const DgElement& element, const VerticalGrid& column,
                const ConstElementFields& of, const ElementFields& auxiliary) {
    check_interrupts(column.blocks * dg_points * 16);
    const std::int64_t blocks = column.blocks;
    ColumnSums<P> top(column.top_pressure);
    for (std::int64_t b = 0; b < blocks; ++b) {
        const std::int64_t at = b * P;
        Lanes* const p = auxiliary[aux_pressure] + at;
        sum_downwards<P>(of[thickness] + at, top, p);
        gradient<N>(d, element.metric, p, auxiliary[aux_east] + at, auxiliary[aux_north] + at);
        for (int n = 0; n < P; ++n) {
            auxiliary[aux_geopotential][at + n] =
                gas_constant * of[temperature][at + n] * of[thickness][at + n] / p[n];
        }
    }
    ColumnSums<P> ground(element.surface_geopotential);
    for (std::int64_t b = blocks - 1; b >= 0; --b) {
        Lanes* const geopotential = auxiliary[aux_geopotential] + b * P;
        sum_upwards<P>(geopotential, column.levels - b * spectral::lane_width, ground,
                       geopotential);
    }
}

TRADEWIND_CLONES
void dg_gradients(const DgDerivatives& d, const DgElement& element, const VerticalGrid& column,
                  const ConstElementFields& of, const ConstElementFields& traces,
                  const ElementFields& gradients) {
    check_interrupts(column.blocks * dg_points * 16);
    for (std::int64_t b = 0; b < column.blocks; ++b) {
        for (const std::size_t component : {std::size_t(east), std::size_t(north)}) {
            const Lanes* const wind = of[component] + b * P;
            const Lanes* const outside = traces[component] + b * dg_trace_slots;
            Lanes* const to_east = gradients[2 * component] + b * P;
            Lanes* const to_north = gradients[2 * component + 1] + b * P;
            gradient<N>(d, element.metric, wind, to_east, to_north);
            for (int t = 0; t < dg_traces; ++t) {
                const int p = element.edges.point[t];
                const Lanes jump = 0.5 * element.edges.lift[t] * (outside[t] - wind[p]);
                to_east[p] += element.edges.normal[t][0] * jump;
                to_north[p] += element.edges.normal[t][1] * jump;
            }
        }
    }
}

TRADEWIND_CLONES
void dg_stage(const DgDerivatives& d, const DgElement& element, const VerticalGrid& column,
              const DgStage& stage, const ConstElementFields& a, const ConstElementFields& of,
              const ConstElementFields& auxiliary, const ConstElementFields& traces,
              const ConstElementFields& gradients, const ConstElementFields& gradient_traces,
              const ElementFields& result, DgScratch& scratch) {
    check_interrupts(column.blocks * dg_points * 16);
    const std::int64_t blocks = column.blocks;
    integrate_traces(element, column, traces, scratch);
    ColumnSums<P> above(0.0);
    for (std::int64_t b = 0; b < blocks; ++b) {
        Corrected level;
        differentiate_level(d, element, b, of, auxiliary, level);
        add_edges(element, b, stage, of, auxiliary, traces, scratch, level);
        if (stage.viscosity > 0.0)
            add_viscosity(d, element, b, stage.viscosity, gradients, gradient_traces,
                          level.drag_east, level.drag_north);
        DgBlock outflow_above;
        sum_downwards<P>(level.mass, above, outflow_above);
        finish_level(element, b, stage, a, of, auxiliary[aux_pressure], level, outflow_above,
                     result);
    }
}

}  // namespace tradewind::homme

/// Kernels by blocks of four levels, as in se_kernels.cpp.
#include "tradewind/models/homme/dg/dg_kernels.hpp"

#include <algorithm>

#include "tradewind/models/homme/constants.hpp"
#include "tradewind/models/homme/dg/dg_operators.hpp"

namespace tradewind::homme {

namespace {

constexpr int P = dg_points;
constexpr int N = dg_np;

/// Computes start + the layers before k + half of layer k, downwards, for `points` columns.
template <int points>
TRADEWIND_INLINE void sum_downwards(const VerticalGrid& column, double start, const Lanes* layers,
                                    Lanes* sums) {
    const std::int64_t stride = column.blocks * spectral::lane_width;
    const double* const in = spectral::numbers(layers);
    double* const out = spectral::numbers(sums);
    double sum[points];
    std::fill(sum, sum + points, start);
    for (std::int64_t k = 0; k < stride; ++k) {
        for (int p = 0; p < points; ++p) {
            const double layer = in[p * stride + k];
            out[p * stride + k] = sum[p] + 0.5 * layer;
            sum[p] += layer;
        }
    }
}

/// The same from the ground upwards, in place.
template <int points>
TRADEWIND_INLINE void sum_upwards(const VerticalGrid& column, const double* start, Lanes* layers) {
    const std::int64_t stride = column.blocks * spectral::lane_width;
    double* const values = spectral::numbers(layers);
    double sum[points];
    std::copy(start, start + points, sum);
    for (std::int64_t k = column.levels - 1; k >= 0; --k) {
        for (int p = 0; p < points; ++p) {
            const double layer = values[p * stride + k];
            values[p * stride + k] = sum[p] + 0.5 * layer;
            sum[p] += layer;
        }
    }
}

/// The arrays of DgScratch.
enum DgScratchName : std::uint8_t {
    mass_divergence,
    heat_divergence,
    pressure_advection,
    flux_above,
    new_east,
    new_north,
};

/// Computes pressure and geopotential of the neighbours at the traces.
TRADEWIND_INLINE void integrate_traces(const DgElement& element, const VerticalGrid& column,
                                       const ConstElementFields& traces, DgScratch& scratch) {
    const std::int64_t blocks = column.blocks;
    Lanes* const pressure = scratch.trace(0, blocks);
    Lanes* const geopotential = scratch.trace(1, blocks);
    sum_downwards<dg_traces>(column, column.top_pressure, traces[thickness], pressure);
    double ground[dg_traces];
    for (int t = 0; t < dg_traces; ++t) {
        ground[t] = element.surface_geopotential[element.edges.point[t]];
        for (std::int64_t b = 0; b < blocks; ++b) {
            const std::int64_t at = t * blocks + b;
            geopotential[at] =
                gas_constant * traces[temperature][at] * traces[thickness][at] / pressure[at];
        }
    }
    sum_upwards<dg_traces>(column, ground, geopotential);
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
TRADEWIND_INLINE void add_edges(const DgElement& element, std::int64_t blocks, std::int64_t b,
                                const DgStage& stage, const ConstElementFields& of,
                                const ConstElementFields& auxiliary,
                                const ConstElementFields& traces, DgScratch& scratch,
                                Corrected& to) {
    for (int t = 0; t < dg_traces; ++t) {
        const int p = element.edges.point[t];
        const std::int64_t own = p * blocks + b;
        const std::int64_t other = t * blocks + b;
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
            0.5 * (u_out * u_out + v_out * v_out) + scratch.trace(1, blocks)[other];
        const Lanes rise = half * (energy_out - energy);
        to.slope_east[p] += n_east * rise;
        to.slope_north[p] += n_north * rise;
        const Lanes jump = half * (scratch.trace(0, blocks)[other] - auxiliary[aux_pressure][own]);
        to.pressure_east[p] += n_east * jump;
        to.pressure_north[p] += n_north * jump;
        to.drag_east[p] += half * c * du;
        to.drag_north[p] += half * c * dv;
    }
}

/// Computes divergences, vorticity and gradients within the element.
TRADEWIND_INLINE void differentiate_level(const DgDerivatives& d, const DgElement& element,
                                          std::int64_t blocks, std::int64_t b,
                                          const ConstElementFields& of,
                                          const ConstElementFields& auxiliary, Corrected& to) {
    DgBlock u;
    DgBlock v;
    DgBlock first;
    DgBlock second;
    load(of[east], blocks, b, u);
    load(of[north], blocks, b, v);
    vorticity<N>(d, element.metric, u, v, to.zeta);
    for (int p = 0; p < P; ++p) {
        const Lanes dp = of[thickness][p * blocks + b];
        first[p] = u[p] * dp;
        second[p] = v[p] * dp;
    }
    divergence<N>(d, element.metric, first, second, to.mass);
    for (int p = 0; p < P; ++p) {
        const Lanes t = of[temperature][p * blocks + b];
        first[p] *= t;
        second[p] *= t;
    }
    divergence<N>(d, element.metric, first, second, to.heat);
    for (int p = 0; p < P; ++p) {
        const std::int64_t at = p * blocks + b;
        first[p] = 0.5 * (u[p] * u[p] + v[p] * v[p]) + auxiliary[aux_geopotential][at];
        to.pressure_east[p] = auxiliary[aux_east][at];
        to.pressure_north[p] = auxiliary[aux_north][at];
        to.drag_east[p] = Lanes{};
        to.drag_north[p] = Lanes{};
    }
    gradient<N>(d, element.metric, first, to.slope_east, to.slope_north);
}

}  // namespace

TRADEWIND_CLONES
void dg_prepare(const DgDerivatives& d, const DgElement& element, const VerticalGrid& column,
                const ConstElementFields& of, const ElementFields& auxiliary) {
    const std::int64_t blocks = column.blocks;
    sum_downwards<P>(column, column.top_pressure, of[thickness], auxiliary[aux_pressure]);
    for (std::int64_t b = 0; b < blocks; ++b) {
        for (std::size_t f = 0; f < most_fields; ++f) fetch_next(auxiliary[f], P, blocks, b);
        fetch_next(of[temperature], P, blocks, b);
        fetch_next(of[thickness], P, blocks, b);
        DgBlock p;
        DgBlock east_slope;
        DgBlock north_slope;
        load(auxiliary[aux_pressure], blocks, b, p);
        gradient<N>(d, element.metric, p, east_slope, north_slope);
        for (int n = 0; n < P; ++n) {
            const std::int64_t at = n * blocks + b;
            auxiliary[aux_east][at] = east_slope[n];
            auxiliary[aux_north][at] = north_slope[n];
            auxiliary[aux_geopotential][at] =
                gas_constant * of[temperature][at] * of[thickness][at] / p[n];
        }
    }
    sum_upwards<P>(column, element.surface_geopotential, auxiliary[aux_geopotential]);
}

TRADEWIND_CLONES
void dg_gradients(const DgDerivatives& d, const DgElement& element, const VerticalGrid& column,
                  const ConstElementFields& of, const ConstElementFields& traces,
                  const ElementFields& gradients) {
    const std::int64_t blocks = column.blocks;
    for (std::int64_t b = 0; b < blocks; ++b) {
        for (const std::size_t component : {std::size_t(east), std::size_t(north)}) {
            DgBlock wind;
            DgBlock to_east;
            DgBlock to_north;
            load(of[component], blocks, b, wind);
            gradient<N>(d, element.metric, wind, to_east, to_north);
            for (int t = 0; t < dg_traces; ++t) {
                const int p = element.edges.point[t];
                const Lanes jump =
                    0.5 * element.edges.lift[t] * (traces[component][t * blocks + b] - wind[p]);
                to_east[p] += element.edges.normal[t][0] * jump;
                to_north[p] += element.edges.normal[t][1] * jump;
            }
            for (int p = 0; p < P; ++p) {
                gradients[2 * component][p * blocks + b] = to_east[p];
                gradients[2 * component + 1][p * blocks + b] = to_north[p];
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
    const std::int64_t blocks = column.blocks;
    integrate_traces(element, column, traces, scratch);
    for (std::int64_t b = 0; b < blocks; ++b) {
        for (std::size_t f = 0; f < most_fields; ++f) {
            fetch_next(of[f], P, blocks, b);
            fetch_next(auxiliary[f], P, blocks, b);
            fetch_next(traces[f], dg_traces, blocks, b);
            fetch_next(a[f], P, blocks, b);
            fetch_next(result[f], P, blocks, b);
        }
        Corrected level;
        differentiate_level(d, element, blocks, b, of, auxiliary, level);
        add_edges(element, blocks, b, stage, of, auxiliary, traces, scratch, level);
        if (stage.viscosity > 0.0)
            add_viscosity(d, element, blocks, b, stage.viscosity, gradients, gradient_traces,
                          level.drag_east, level.drag_north);
        for (int p = 0; p < P; ++p) {
            const std::int64_t at = p * blocks + b;
            const Lanes u = of[east][at];
            const Lanes v = of[north][at];
            const Lanes zeta = level.zeta[p] + element.coriolis[p];
            const Lanes factor = gas_constant * of[temperature][at] / auxiliary[aux_pressure][at];
            const Lanes du = v * zeta - level.slope_east[p] - factor * level.pressure_east[p] +
                             level.drag_east[p];
            const Lanes dv = -(u * zeta) - level.slope_north[p] - factor * level.pressure_north[p] +
                             level.drag_north[p];
            scratch.array(mass_divergence)[at] = level.mass[p];
            scratch.array(heat_divergence)[at] = level.heat[p];
            scratch.array(pressure_advection)[at] =
                u * level.pressure_east[p] + v * level.pressure_north[p];
            // The wind is final; its old values are still needed above, so it waits in scratch.
            scratch.array(new_east)[at] =
                stage.first * a[east][at] + stage.second * (u + stage.step * du);
            scratch.array(new_north)[at] =
                stage.first * a[north][at] + stage.second * (v + stage.step * dv);
        }
    }
    sum_downwards<P>(column, 0.0, scratch.array(mass_divergence), scratch.array(flux_above));
    for (std::int64_t at = 0; at < P * blocks; ++at) {
        const Lanes omega = scratch.array(pressure_advection)[at] - scratch.array(flux_above)[at];
        const Lanes dp = of[thickness][at];
        const Lanes heat = of[temperature][at] * dp;
        const Lanes heating =
            kappa * heat * omega / auxiliary[aux_pressure][at] - scratch.array(heat_divergence)[at];
        const Lanes new_dp = stage.first * a[thickness][at] +
                             stage.second * (dp - stage.step * scratch.array(mass_divergence)[at]);
        const Lanes new_heat = stage.first * (a[temperature][at] * a[thickness][at]) +
                               stage.second * (heat + stage.step * heating);
        result[east][at] = scratch.array(new_east)[at];
        result[north][at] = scratch.array(new_north)[at];
        result[thickness][at] = new_dp;
        result[temperature][at] = new_heat / new_dp;
    }
}

}  // namespace tradewind::homme

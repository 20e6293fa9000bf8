/// Kernels by blocks of four levels. A stage goes through the blocks twice: downwards with the
/// pressure and the divergence above, upwards with the geopotential.
#include "tradewind/models/homme/se/se_kernels.hpp"

#include "tradewind/base/interrupts.hpp"
#include "tradewind/models/homme/columns.hpp"
#include "tradewind/models/homme/constants.hpp"
#include "tradewind/models/homme/mesh/operators.hpp"

namespace tradewind::homme {

namespace {

constexpr int P = se_points;
constexpr std::size_t first_scalar = 2;
using Block = Values<se_np>;

/// The arrays of SeScratch: what the way down leaves for the way up.
enum SeScratchName : std::uint8_t {
    geopotential_of_layer,
    absolute_vorticity,
    pressure_force_east,
    pressure_force_north,
};

/// The fields of an element in a stage.
struct SeStageFields {
    const ConstElementFields& a;
    const ConstElementFields& b;
    const ConstElementFields& of;
    const ElementFields& result;
};

/// Writes the new values of a field in a block of levels, times the mass of their points.
TRADEWIND_INLINE void store(const SeStage& stage, const SeStageFields& fields, std::size_t field,
                            std::int64_t b, const double* mass, const Lanes* tendency) {
    const auto [first, second, step] = stage;
    const Lanes* const of_a = fields.a[field] + b * P;
    const Lanes* const of_b = fields.b[field] + b * P;
    Lanes* const result = fields.result[field] + b * P;
#pragma GCC unroll 4
    for (int n = 0; n < P; ++n) {
        const Lanes base = first * of_a[n] + second * of_b[n];
        result[n] = mass[n] * (base + step * tendency[n]);
    }
}

/// Finishes thickness and temperature in a block of levels, and prepares the wind. `pressure` and
/// `above` have the sums of the blocks above.
TRADEWIND_INLINE void step_down(const SeDerivatives& d, const SeElement& element, std::int64_t b,
                                const SeStage& stage, const SeStageFields& fields,
                                ColumnSums<P>& pressure, ColumnSums<P>& above, SeScratch& scratch) {
    const SeMetric& metric = element.metric;
    const Lanes* const u = fields.of[east] + b * P;
    const Lanes* const v = fields.of[north] + b * P;
    const Lanes* const t = fields.of[temperature] + b * P;
    const Lanes* const layer = fields.of[thickness] + b * P;
    Block p;
    sum_downwards<P>(layer, pressure, p);
    Block p_east;
    Block p_north;
    gradient<se_np>(d, metric, p, p_east, p_north);
    Block zeta;
    vorticity<se_np>(d, metric, u, v, zeta);
    Block flux_east;
    Block flux_north;
    for (int n = 0; n < P; ++n) {
        flux_east[n] = u[n] * layer[n];
        flux_north[n] = v[n] * layer[n];
    }
    Block outflow;
    divergence<se_np>(d, metric, flux_east, flux_north, outflow);
    Block outflow_above;
    sum_downwards<P>(outflow, above, outflow_above);
    Block t_east;
    Block t_north;
    gradient<se_np>(d, metric, t, t_east, t_north);
    Lanes* const kept = scratch.block(b);
    Block heating;
#pragma GCC unroll 2
    for (int n = 0; n < P; ++n) {
        kept[geopotential_of_layer * P + n] = gas_constant * t[n] * layer[n] / p[n];
        kept[absolute_vorticity * P + n] = zeta[n] + element.coriolis[n];
        const Lanes per_pressure = 1.0 / p[n];
        const Lanes factor = gas_constant * t[n] * per_pressure;
        kept[pressure_force_east * P + n] = factor * p_east[n];
        kept[pressure_force_north * P + n] = factor * p_north[n];
        const Lanes omega = u[n] * p_east[n] + v[n] * p_north[n] - outflow_above[n];
        const Lanes advection = -(u[n] * t_east[n] + v[n] * t_north[n]);
        heating[n] = advection + kappa * t[n] * omega * per_pressure;
        outflow[n] = -outflow[n];
    }
    store(stage, fields, temperature, b, metric.mass, heating);
    store(stage, fields, thickness, b, metric.mass, outflow);
}

/// Finishes the wind in a block of levels, of which `count` are not padding. `ground` has the
/// geopotential of the ground and of the blocks below.
TRADEWIND_INLINE void step_up(const SeDerivatives& d, const SeElement& element, std::int64_t b,
                              std::int64_t count, const SeStage& stage, const SeStageFields& fields,
                              ColumnSums<P>& ground, SeScratch& scratch) {
    const Lanes* const u = fields.of[east] + b * P;
    const Lanes* const v = fields.of[north] + b * P;
    const Lanes* const kept = scratch.block(b);
    Block energy;
    sum_upwards<P>(kept + geopotential_of_layer * P, count, ground, energy);
    for (int n = 0; n < P; ++n) energy[n] = 0.5 * (u[n] * u[n] + v[n] * v[n]) + energy[n];
    Block slope_east;
    Block slope_north;
    gradient<se_np>(d, element.metric, energy, slope_east, slope_north);
#pragma GCC unroll 2
    for (int n = 0; n < P; ++n) {
        const Lanes zeta = kept[absolute_vorticity * P + n];
        slope_east[n] = v[n] * zeta - slope_east[n] - kept[pressure_force_east * P + n];
        slope_north[n] = -(u[n] * zeta) - slope_north[n] - kept[pressure_force_north * P + n];
    }
    store(stage, fields, east, b, element.metric.mass, slope_east);
    store(stage, fields, north, b, element.metric.mass, slope_north);
}

}  // namespace

TRADEWIND_CLONES
void se_stage(const SeDerivatives& d, const SeElement& element, const VerticalGrid& column,
              const SeStage& stage, const ConstElementFields& a, const ConstElementFields& b,
              const ConstElementFields& of, const ElementFields& result, SeScratch& scratch) {
    check_interrupts(column.blocks * se_points * 16);
    const SeStageFields fields{a, b, of, result};
    ColumnSums<P> pressure(column.top_pressure);
    ColumnSums<P> above(0.0);
    for (std::int64_t n = 0; n < column.blocks; ++n) {
        for (Lanes* const field : result) fetch_next(field, P, column.blocks, n);
        step_down(d, element, n, stage, fields, pressure, above, scratch);
    }
    ColumnSums<P> ground(element.surface_geopotential);
    for (std::int64_t n = column.blocks - 1; n >= 0; --n) {
        step_up(d, element, n, column.levels - n * spectral::lane_width, stage, fields, ground,
                scratch);
    }
}

TRADEWIND_CLONES
void se_divide(const SeElement& element, const VerticalGrid& column, const ElementFields& fields) {
    check_interrupts(column.blocks * se_points * 16);
    const std::int64_t last = column.blocks - 1;
    for (Lanes* const field : fields) {
        if (field == nullptr) continue;
        for (std::int64_t b = 0; b <= last; ++b) {
            Lanes* const block = field + b * P;
            for (int p = 0; p < P; ++p) block[p] *= element.per_mass[p];
        }
        fill_padding(field + last * P, P, column.levels - last * spectral::lane_width);
    }
}

TRADEWIND_CLONES
void se_laplacian(const SeDerivatives& d, const SeElement& element, const VerticalGrid& column,
                  const ConstElementFields& of, const ElementFields& result) {
    check_interrupts(column.blocks * se_points * 16);
    for (std::int64_t b = 0; b < column.blocks; ++b) {
        const std::int64_t at = b * P;
        weak_vector_laplacian<se_np>(d, element.metric, of[east] + at, of[north] + at,
                                     result[east] + at, result[north] + at);
        for (std::size_t f = first_scalar; f < most_fields; ++f) {
            if (of[f] == nullptr) continue;
            weak_laplacian<se_np>(d, element.metric, of[f] + at, result[f] + at);
        }
    }
}

namespace {

/// The factors of the top viscosity in the first four layers.
constexpr Lanes top_layers = {4.0, 2.0, 1.0, 0.0};

TRADEWIND_INLINE void store_change(std::int64_t b, double hyper, const Lanes* biharmonic,
                                   double top, const Lanes* harmonic, Lanes* change) {
    for (int p = 0; p < P; ++p) {
        Lanes sum = -hyper * biharmonic[p];
        if (b == 0) sum += top * top_layers * harmonic[p];
        change[b * P + p] = sum;
    }
}

}  // namespace

TRADEWIND_CLONES
void se_viscosity(const SeDerivatives& d, const SeElement& element, const VerticalGrid& column,
                  const SeViscosity& viscosity, const ConstElementFields& fields,
                  const ElementFields& laplacians) {
    check_interrupts(column.blocks * se_points * 16);
    const std::int64_t blocks = column.blocks;
    for (std::int64_t b = 0; b < blocks; ++b) {
        const std::int64_t at = b * P;
        Block u;
        Block v;
        Block top_u = {};
        Block top_v = {};
        if (b == 0) {
            weak_vector_laplacian<se_np>(d, element.metric, fields[east], fields[north], top_u,
                                         top_v);
        }
        weak_vector_laplacian<se_np>(d, element.metric, laplacians[east] + at,
                                     laplacians[north] + at, u, v);
        store_change(b, viscosity.hyper, u, viscosity.top, top_u, laplacians[east]);
        store_change(b, viscosity.hyper, v, viscosity.top, top_v, laplacians[north]);
        for (std::size_t f = first_scalar; f < most_fields; ++f) {
            if (laplacians[f] == nullptr) continue;
            if (b == 0) weak_laplacian<se_np>(d, element.metric, fields[f], top_u);
            weak_laplacian<se_np>(d, element.metric, laplacians[f] + at, u);
            store_change(b, viscosity.hyper, u, viscosity.top, top_u, laplacians[f]);
        }
    }
}

TRADEWIND_CLONES
void se_add_viscosity(const SeElement& element, const VerticalGrid& column,
                      const ConstElementFields& change, const ElementFields& fields) {
    check_interrupts(column.blocks * se_points * 16);
    for (std::int64_t b = 0; b < column.blocks; ++b) {
        for (int p = 0; p < P; ++p) {
            const double per_mass = element.per_mass[p];
            const std::int64_t at = b * P + p;
            const Lanes du = per_mass * change[east][at];
            const Lanes dv = per_mass * change[north][at];
            const Lanes heat = -(fields[east][at] * du + fields[north][at] * dv) / heat_capacity;
            fields[east][at] += du;
            fields[north][at] += dv;
            fields[temperature][at] += per_mass * change[temperature][at] + heat;
            fields[thickness][at] += per_mass * change[thickness][at];
        }
    }
}

}  // namespace tradewind::homme

/// Kernels by blocks of four levels; sums over levels run over all points of an element at once.
#include "tradewind/models/homme/se/se_kernels.hpp"

#include <algorithm>

#include "tradewind/models/homme/constants.hpp"
#include "tradewind/models/homme/mesh/operators.hpp"

namespace tradewind::homme {

namespace {

constexpr int P = se_points;
constexpr std::size_t first_scalar = 2;
using Block = Values<se_np>;

TRADEWIND_INLINE void load(const Lanes* field, std::int64_t blocks, std::int64_t b, Lanes* values) {
    for (int p = 0; p < P; ++p) values[p] = field[p * blocks + b];
}

/// Computes start + the sum of the layers before k + half of layer k, from the top downwards.
TRADEWIND_INLINE void sum_downwards(const VerticalGrid& column, double start, const Lanes* layers,
                                    Lanes* sums) {
    const std::int64_t stride = column.blocks * spectral::lane_width;
    const double* const in = spectral::numbers(layers);
    double* const out = spectral::numbers(sums);
    double sum[P];
    std::fill(sum, sum + P, start);
    for (std::int64_t k = 0; k < stride; ++k) {
        for (int p = 0; p < P; ++p) {
            const double layer = in[p * stride + k];
            out[p * stride + k] = sum[p] + 0.5 * layer;
            sum[p] += layer;
        }
    }
}

/// The same from the ground upwards, in place.
TRADEWIND_INLINE void sum_upwards(const VerticalGrid& column, const double* start, Lanes* layers) {
    const std::int64_t stride = column.blocks * spectral::lane_width;
    double* const values = spectral::numbers(layers);
    double sum[P];
    std::copy(start, start + P, sum);
    for (std::int64_t k = column.levels - 1; k >= 0; --k) {
        for (int p = 0; p < P; ++p) {
            const double layer = values[p * stride + k];
            values[p * stride + k] = sum[p] + 0.5 * layer;
            sum[p] += layer;
        }
    }
}

/// Copies the last level of a point to the padding, which no neighbour sends.
TRADEWIND_INLINE void fill_padding(const VerticalGrid& column, Lanes* point) {
    double* const values = spectral::numbers(point);
    for (std::int64_t k = column.levels; k < column.blocks * spectral::lane_width; ++k)
        values[k] = values[column.levels - 1];
}

/// The arrays of SeScratch.
enum SeScratchName : std::uint8_t {
    pressure,
    pressure_east,
    pressure_north,
    flux_divergence,
    geopotential,
    absolute_vorticity,
    temperature_tendency,
    flux_above,
};

/// Computes all that depends on one level alone.
TRADEWIND_INLINE void prepare_level(const SeDerivatives& d, const SeElement& element,
                                    std::int64_t blocks, std::int64_t b,
                                    const ConstElementFields& of, SeScratch& scratch) {
    const SeMetric& metric = element.metric;
    Block u;
    Block v;
    Block p;
    Block first;
    Block second;
    Block result;
    load(of[east], blocks, b, u);
    load(of[north], blocks, b, v);
    load(scratch.array(pressure), blocks, b, p);
    gradient<se_np>(d, metric, p, first, second);
    for (int n = 0; n < P; ++n) {
        scratch.array(pressure_east)[n * blocks + b] = first[n];
        scratch.array(pressure_north)[n * blocks + b] = second[n];
    }
    vorticity<se_np>(d, metric, u, v, result);
    for (int n = 0; n < P; ++n)
        scratch.array(absolute_vorticity)[n * blocks + b] = result[n] + element.coriolis[n];
    Block layer;
    load(of[thickness], blocks, b, layer);
    for (int n = 0; n < P; ++n) {
        first[n] = u[n] * layer[n];
        second[n] = v[n] * layer[n];
    }
    divergence<se_np>(d, metric, first, second, result);
    for (int n = 0; n < P; ++n) scratch.array(flux_divergence)[n * blocks + b] = result[n];
    Block t;
    load(of[temperature], blocks, b, t);
    for (int n = 0; n < P; ++n)
        scratch.array(geopotential)[n * blocks + b] = gas_constant * t[n] * layer[n] / p[n];
    gradient<se_np>(d, metric, t, first, second);
    for (int n = 0; n < P; ++n)
        scratch.array(temperature_tendency)[n * blocks + b] = -(u[n] * first[n] + v[n] * second[n]);
}

TRADEWIND_INLINE void finish_level(const SeDerivatives& d, const SeElement& element,
                                   std::int64_t blocks, std::int64_t b, const SeStage& stage,
                                   const ConstElementFields& first_base,
                                   const ConstElementFields& second_base,
                                   const ConstElementFields& of, const ElementFields& result,
                                   SeScratch& scratch) {
    Block energy;
    for (int n = 0; n < P; ++n) {
        const std::int64_t at = n * blocks + b;
        const Lanes u = of[east][at];
        const Lanes v = of[north][at];
        energy[n] = 0.5 * (u * u + v * v) + scratch.array(geopotential)[at];
    }
    Block slope_east;
    Block slope_north;
    gradient<se_np>(d, element.metric, energy, slope_east, slope_north);
    for (int n = 0; n < P; ++n) {
        const std::int64_t at = n * blocks + b;
        const Lanes u = of[east][at];
        const Lanes v = of[north][at];
        const Lanes t = of[temperature][at];
        const Lanes per_pressure = 1.0 / scratch.array(pressure)[at];
        const Lanes p_east = scratch.array(pressure_east)[at];
        const Lanes p_north = scratch.array(pressure_north)[at];
        const Lanes zeta = scratch.array(absolute_vorticity)[at];
        const Lanes factor = gas_constant * t * per_pressure;
        const Lanes omega = u * p_east + v * p_north - scratch.array(flux_above)[at];
        const Lanes tendency[most_fields] = {
            v * zeta - slope_east[n] - factor * p_east,
            -(u * zeta) - slope_north[n] - factor * p_north,
            scratch.array(temperature_tendency)[at] + kappa * t * omega * per_pressure,
            -scratch.array(flux_divergence)[at]};
        const double mass = element.metric.mass[n];
        for (std::size_t f = 0; f < most_fields; ++f) {
            const Lanes base = stage.first * first_base[f][at] + stage.second * second_base[f][at];
            result[f][at] = mass * (base + stage.step * tendency[f]);
        }
    }
}

}  // namespace

TRADEWIND_CLONES
void se_stage(const SeDerivatives& d, const SeElement& element, const VerticalGrid& column,
              const SeStage& stage, const ConstElementFields& a, const ConstElementFields& b,
              const ConstElementFields& of, const ElementFields& result, SeScratch& scratch) {
    sum_downwards(column, column.top_pressure, of[thickness], scratch.array(pressure));
    for (std::int64_t n = 0; n < column.blocks; ++n) {
        for (std::size_t f = 0; f < most_fields; ++f) {
            fetch_next(of[f], P, column.blocks, n);
            fetch_next(result[f], P, column.blocks, n);
        }
        prepare_level(d, element, column.blocks, n, of, scratch);
    }
    sum_downwards(column, 0.0, scratch.array(flux_divergence), scratch.array(flux_above));
    sum_upwards(column, element.surface_geopotential, scratch.array(geopotential));
    for (std::int64_t n = 0; n < column.blocks; ++n) {
        for (std::size_t f = 0; f < most_fields; ++f) {
            fetch_next(a[f], P, column.blocks, n);
            fetch_next(b[f], P, column.blocks, n);
        }
        finish_level(d, element, column.blocks, n, stage, a, b, of, result, scratch);
    }
}

TRADEWIND_CLONES
void se_divide(const SeElement& element, const VerticalGrid& column, const ElementFields& fields) {
    for (Lanes* const field : fields) {
        if (field == nullptr) continue;
        for (int p = 0; p < P; ++p) {
            Lanes* const values = field + p * column.blocks;
            for (std::int64_t b = 0; b < column.blocks; ++b) values[b] *= element.per_mass[p];
            fill_padding(column, values);
        }
    }
}

TRADEWIND_CLONES
void se_laplacian(const SeDerivatives& d, const SeElement& element, const VerticalGrid& column,
                  const ConstElementFields& of, const ElementFields& result) {
    for (std::int64_t b = 0; b < column.blocks; ++b) {
        Block first;
        Block second;
        Block u;
        Block v;
        for (std::size_t f = 0; f < most_fields; ++f) {
            if (of[f] == nullptr) continue;
            fetch_next(of[f], P, column.blocks, b);
            fetch_next(result[f], P, column.blocks, b);
        }
        load(of[east], column.blocks, b, first);
        load(of[north], column.blocks, b, second);
        weak_vector_laplacian<se_np>(d, element.metric, first, second, u, v);
        for (int p = 0; p < P; ++p) {
            result[east][p * column.blocks + b] = u[p];
            result[north][p * column.blocks + b] = v[p];
        }
        for (std::size_t f = first_scalar; f < most_fields; ++f) {
            if (of[f] == nullptr) continue;
            load(of[f], column.blocks, b, first);
            weak_laplacian<se_np>(d, element.metric, first, second);
            for (int p = 0; p < P; ++p) result[f][p * column.blocks + b] = second[p];
        }
    }
}

namespace {

/// The factors of the top viscosity in the first four layers.
constexpr Lanes top_layers = {4.0, 2.0, 1.0, 0.0};

TRADEWIND_INLINE void store_change(std::int64_t blocks, std::int64_t b, double hyper,
                                   const Lanes* biharmonic, double top, const Lanes* harmonic,
                                   Lanes* change) {
    for (int p = 0; p < P; ++p) {
        Lanes sum = -hyper * biharmonic[p];
        if (b == 0) sum += top * top_layers * harmonic[p];
        change[p * blocks + b] = sum;
    }
}

}  // namespace

TRADEWIND_CLONES
void se_viscosity(const SeDerivatives& d, const SeElement& element, const VerticalGrid& column,
                  const SeViscosity& viscosity, const ConstElementFields& fields,
                  const ElementFields& laplacians) {
    const std::int64_t blocks = column.blocks;
    for (std::int64_t b = 0; b < blocks; ++b) {
        Block first;
        Block second;
        Block u;
        Block v;
        Block top_u = {};
        Block top_v = {};
        for (std::size_t f = 0; f < most_fields; ++f)
            if (laplacians[f] != nullptr) fetch_next(laplacians[f], P, blocks, b);
        if (b == 0) {
            load(fields[east], blocks, b, first);
            load(fields[north], blocks, b, second);
            weak_vector_laplacian<se_np>(d, element.metric, first, second, top_u, top_v);
        }
        load(laplacians[east], blocks, b, first);
        load(laplacians[north], blocks, b, second);
        weak_vector_laplacian<se_np>(d, element.metric, first, second, u, v);
        store_change(blocks, b, viscosity.hyper, u, viscosity.top, top_u, laplacians[east]);
        store_change(blocks, b, viscosity.hyper, v, viscosity.top, top_v, laplacians[north]);
        for (std::size_t f = first_scalar; f < most_fields; ++f) {
            if (laplacians[f] == nullptr) continue;
            if (b == 0) {
                load(fields[f], blocks, b, first);
                weak_laplacian<se_np>(d, element.metric, first, top_u);
            }
            load(laplacians[f], blocks, b, first);
            weak_laplacian<se_np>(d, element.metric, first, second);
            store_change(blocks, b, viscosity.hyper, second, viscosity.top, top_u, laplacians[f]);
        }
    }
}

TRADEWIND_CLONES
void se_add_viscosity(const SeElement& element, const VerticalGrid& column,
                      const ConstElementFields& change, const ElementFields& fields) {
    for (int p = 0; p < P; ++p) {
        const double per_mass = element.per_mass[p];
        for (std::int64_t b = 0; b < column.blocks; ++b) {
            const std::int64_t at = p * column.blocks + b;
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

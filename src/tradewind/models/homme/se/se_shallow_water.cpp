/// Kernels by blocks of four layers.
#include "tradewind/models/homme/se/se_shallow_water.hpp"

#include "tradewind/base/interrupts.hpp"
#include "tradewind/models/homme/constants.hpp"
#include "tradewind/models/homme/mesh/operators.hpp"

namespace tradewind::homme {

namespace {

constexpr int P = se_points;
using Block = Values<se_np>;

}  // namespace

TRADEWIND_CLONES
void se_shallow_water_stage(const SeDerivatives& d, const SeElement& element,
                            const VerticalGrid& column, const SeStage& stage,
                            const ConstElementFields& a, const ConstElementFields& b,
                            const ConstElementFields& of, const ElementFields& result) {
    check_interrupts(column.blocks * se_points * 16);
    const std::int64_t blocks = column.blocks;
    for (std::int64_t n = 0; n < blocks; ++n) {
        Block u;
        Block v;
        Block h;
        Block energy;
        Block flux_east;
        Block flux_north;
        for (int p = 0; p < P; ++p) {
            const std::int64_t at = n * P + p;
            u[p] = of[east][at];
            v[p] = of[north][at];
            h[p] = of[depth][at];
            energy[p] = 0.5 * (u[p] * u[p] + v[p] * v[p]) + gravity * h[p] +
                        element.surface_geopotential[p];
            flux_east[p] = u[p] * h[p];
            flux_north[p] = v[p] * h[p];
        }
        Block zeta;
        Block slope_east;
        Block slope_north;
        Block outflow;
        vorticity<se_np>(d, element.metric, u, v, zeta);
        gradient<se_np>(d, element.metric, energy, slope_east, slope_north);
        divergence<se_np>(d, element.metric, flux_east, flux_north, outflow);
        for (int p = 0; p < P; ++p) {
            const std::int64_t at = n * P + p;
            const Lanes absolute = zeta[p] + element.coriolis[p];
            const Lanes tendency[] = {v[p] * absolute - slope_east[p],
                                      -(u[p] * absolute) - slope_north[p], -outflow[p]};
            const double mass = element.metric.mass[p];
            for (const std::size_t f :
                 {std::size_t(east), std::size_t(north), std::size_t(depth)}) {
                const Lanes base = stage.first * a[f][at] + stage.second * b[f][at];
                result[f][at] = mass * (base + stage.step * tendency[f]);
            }
        }
    }
}

TRADEWIND_CLONES
void se_shallow_water_add_viscosity(const SeElement& element, const VerticalGrid& column,
                                    const ConstElementFields& change, const ElementFields& fields) {
    check_interrupts(column.blocks * se_points * 16);
    for (std::int64_t b = 0; b < column.blocks; ++b) {
        for (int p = 0; p < P; ++p) {
            const std::int64_t at = b * P + p;
            for (const std::size_t f : {std::size_t(east), std::size_t(north), std::size_t(depth)})
                fields[f][at] += element.per_mass[p] * change[f][at];
        }
    }
}

}  // namespace tradewind::homme

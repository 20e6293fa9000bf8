/// Positions, stencils and sums, with the same order of operations on any number of ranks.
#include "tradewind/models/semi_lagrangian/interpolation.hpp"

#include <algorithm>

namespace tradewind::semi_lagrangian {

GridPosition grid_position(const AdvectionPlan& plan, const SpherePoint& place) noexcept {
    const std::int64_t nx = plan.nx();
    const double x = place.longitude / (2 * pi) * double(nx);
    const double y = (place.latitude / pi + 0.5) * double(plan.ny()) - 0.5;
    const double z = place.height / top * double(plan.levels - 1);
    GridPosition at;
    at.i = std::int64_t(std::floor(x));
    at.di = x - double(at.i);
    at.i = (at.i % nx + nx) % nx;
    at.j = std::clamp<std::int64_t>(std::int64_t(std::floor(y)), -1, plan.ny() - 1);
    at.dj = y - double(at.j);
    if (plan.levels == 1) return at;
    at.k = std::clamp<std::int64_t>(std::int64_t(std::floor(z)), 1, plan.levels - 3);
    at.dk = z - double(at.k);
    return at;
}

Stencil stencil_of(const AdvectionPlan& plan, const ColumnHalo& halo,
                   const GridPosition& at) noexcept {
    const std::int64_t nx = plan.nx();
    const std::int64_t ny = plan.ny();
    Stencil stencil;
    for (std::int64_t b = 0; b < 4; ++b) {
        std::int64_t row = at.j - 1 + b;
        std::int64_t turn = 0;
        if (row < 0 || row >= ny) {
            row = row < 0 ? -1 - row : 2 * ny - 1 - row;
            turn = nx / 2;
        }
        for (std::int64_t a = 0; a < 4; ++a) {
            const std::int64_t column = (at.i - 1 + a + turn + nx) % nx;
            stencil[std::size_t(b)][std::size_t(a)] = halo.index(row, column);
        }
    }
    return stencil;
}

double interpolated(const AdvectionPlan& plan, const GridPosition& at, const Stencil& stencil,
                    const double* levels) noexcept {
    const auto x = cubic_weights(at.di);
    const auto y = cubic_weights(at.dj);
    const auto z = cubic_weights(at.dk);
    const auto in_column = [&](std::int64_t column) {
        const double* const at_k = levels + column * plan.depth() + at.k;
        if (plan.levels == 1) return at_k[0];
        return z[0] * at_k[-1] + z[1] * at_k[0] + z[2] * at_k[1] + z[3] * at_k[2];
    };
    double sum = 0.0;
    for (std::size_t b = 0; b < 4; ++b) {
        const auto& row = stencil[b];
        sum += y[b] * (x[0] * in_column(row[0]) + x[1] * in_column(row[1]) +
                       x[2] * in_column(row[2]) + x[3] * in_column(row[3]));
    }
    return sum;
}

}  // namespace tradewind::semi_lagrangian

/// Interpolation: the points around a departure point, and the cubic polynomial through them.
#pragma once

#include <array>

#include "tradewind/comm/halo/column_halo.hpp"
#include "tradewind/models/semi_lagrangian/plan.hpp"

namespace tradewind::semi_lagrangian {

/// Returns the weights of the four points at -1, 0, 1, 2 for the cubic Lagrange polynomial at `d`.
/// Their sum is one.
[[nodiscard]] constexpr std::array<double, 4> cubic_weights(double d) noexcept {
    const double w1 = (d + 1) * (d - 1) * (d - 2) / 2;
    const double w2 = -(d + 1) * d * (d - 2) / 2;
    const double w3 = (d + 1) * d * (d - 1) / 6;
    return {1 - w1 - w2 - w3, w1, w2, w3};
}

/// A position in units of the grid: column i + di, row j + dj, level k + dk with 0 <= i < nx, -1 <=
/// j < ny and 0 <= di, dj <= 1. At the lowest and highest levels dk leaves [0, 1], so that all four
/// levels exist.
struct GridPosition {
    std::int64_t i = 0;
    std::int64_t j = 0;
    std::int64_t k = 0;
    double di = 0.0;
    double dj = 0.0;
    double dk = 0.0;
};

[[nodiscard]] GridPosition grid_position(const AdvectionPlan& plan,
                                         const SpherePoint& place) noexcept;

/// The 4 x 4 columns around a position, as positions in the halo. Beyond a pole follow the rows of
/// the other side.
using Stencil = std::array<std::array<std::int64_t, 4>, 4>;
[[nodiscard]] Stencil stencil_of(const AdvectionPlan& plan, const ColumnHalo& halo,
                                 const GridPosition& at) noexcept;

/// Returns the value at a position: cubic in height in each of the 16 columns, then along the four
/// rows, then across them. `levels` points to level 0 of the tracer in column 0 of the halo.
[[nodiscard]] double interpolated(const AdvectionPlan& plan, const GridPosition& at,
                                  const Stencil& stencil, const double* levels) noexcept;

}  // namespace tradewind::semi_lagrangian

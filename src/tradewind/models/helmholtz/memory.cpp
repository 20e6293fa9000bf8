/// Counts the arrays of Operators, Iteration, Directions and the loops.
#include "tradewind/models/helmholtz/memory.hpp"

#include <algorithm>

namespace tradewind::helmholtz {

namespace {

constexpr double number = sizeof(double);

/// Returns the number of vectors in a solve. These are x, r, the exact solution and the right-hand
/// side; u and w, or z, w, m and n; and the directions of as many families.
[[nodiscard]] double vectors(const HelmholtzPlan& plan) {
    const double families = plan.method == Method::gcr ? 2.0 : 4.0;
    return 4.0 + families + families * double(plan.restart);
}

/// Returns the bytes of one rank that owns `width` by `rows` columns.
[[nodiscard]] double bytes_of_part(const HelmholtzPlan& plan, double width, double rows) {
    const auto& grid = plan.reach.grid;
    const auto levels = double(plan.levels);
    const double own = width * rows;
    const double beside = std::min(2.0, double(grid.x.items()) - width) * rows;
    const double above = std::min(2.0, double(grid.y.items()) - rows) * width;
    const double halo = beside + above;
    // Each column has five indices, and each row of the halo has one stretch and one position.
    const double tables = own * 5 * sizeof(std::int64_t) + rows * 12 * sizeof(std::int64_t);
    const double columns = own * vectors(plan) + (own + halo) + copies_of_message * halo;
    // An empty vector still occupies its header.
    const double heads = 4.0 * double(plan.restart) * (sizeof(std::vector<double>) + number);
    return number * levels * (columns + 1) + tables + heads;
}

}  // namespace

RunMemory memory_of(const HelmholtzPlan& plan) {
    const auto& grid = plan.reach.grid;
    const double width = double(grid.x.items()) / double(grid.processes.cx);
    const double rows = double(grid.y.items()) / double(grid.processes.cy);
    // All ranks share the table of rows of the reach.
    const double reach = double(sizeof(ReachRow)) * 2.0 * double(grid.y.items());
    return {double(grid.ranks()) * bytes_of_part(plan, width, rows) + reach, 0.0};
}

}  // namespace tradewind::helmholtz

/// HelmholtzPlan: the Helmholtz problem of a semi-implicit time step, its solver and its ranks.
///
/// The grid has nx by ny by nz points with unit spacing, is periodic in x and y and has no flux in
/// z:
///
///     (A x)_ijk = x - 4 (x_E + x_W + x_N + x_S - 4 x) - 200 d_zz x + 0.25 (x_E - x_W)
///     x*_ijk    = ((7 i + 13 j + 29 k) mod 17) / 17 - 0.5        b = A x*, first guess 0
///
/// The line preconditioner M keeps the diagonal and the vertical part, which is one tridiagonal
/// system per column: M x = (1 + 16) x - 200 d_zz x.
#pragma once

#include <memory>

#include "tradewind/base/settings.hpp"
#include "tradewind/comm/allreduce/allreduce.hpp"
#include "tradewind/comm/halo/reach.hpp"
#include "tradewind/comm/tuning/use.hpp"

namespace tradewind::helmholtz {

/// The default of `iterations` with data.
inline constexpr std::int64_t most_iterations = 1000;

enum class Method : std::uint8_t { gcr, pipelined_gcr };
enum class Preconditioner : std::uint8_t { none, line };

/// A checked problem with its solver; all ranks of a run share one object.
struct HelmholtzPlan {
    std::int64_t levels = 1;
    /// The own columns and their four neighbours.
    Reach reach;
    Method method = Method::gcr;
    Preconditioner preconditioner = Preconditioner::line;
    /// The k of GCR(k): the number of earlier directions that the new one is made orthogonal to.
    std::int64_t restart = 3;
    /// The number of iterations: an upper bound with data, the exact number without.
    std::int64_t iterations = 25;
    /// The tolerance of the residual, relative to the right-hand side.
    double tolerance = 1e-8;
    const AllreduceAlgorithm* allreduce = nullptr;
    Options options;
    /// The number of pieces of the computation between which a pipelined reduction is progressed.
    std::int64_t slices = 4;
};

/// Reads a plan from the settings of settings.hpp. `iterations` is the default of that setting.
/// Throws ConfigError.
[[nodiscard]] HelmholtzPlan make_plan(const Settings& settings, Rank ranks,
                                      std::int64_t iterations);
/// Reads a plan without the rows of the reach, whose memory grows with the grid.
[[nodiscard]] HelmholtzPlan make_draft(const Settings& settings, Rank ranks,
                                       std::int64_t iterations);
/// Returns the reductions of a run without data.
[[nodiscard]] std::vector<OperationUse> operations(const Settings& settings, Rank ranks);

}  // namespace tradewind::helmholtz

/// Plan: the Helmholtz problem of a semi-implicit time step, how it is solved and on how many
/// ranks.
///
/// On nx by ny by nz points with unit spacing, periodic in x and y, without flux in z:
///
///     (A x)_ijk = x - 4 (x_E + x_W + x_N + x_S - 4 x) - 200 d_zz x + 0.25 (x_E - x_W)
///     x*_ijk    = ((7 i + 13 j + 29 k) mod 17) / 17 - 0.5        b = A x*, first guess 0
///
/// The line preconditioner M keeps the diagonal and the vertical part, one tridiagonal system per
/// column: M x = (1 + 16) x - 200 d_zz x.
#pragma once

#include <memory>

#include "tradewind/base/settings.hpp"
#include "tradewind/comm/allreduce/allreduce.hpp"
#include "tradewind/comm/halo/reach.hpp"
#include "tradewind/comm/tuning/use.hpp"

namespace tradewind::helmholtz {

/// Default of `iterations` with data.
inline constexpr std::int64_t most_iterations = 1000;

enum class Method : std::uint8_t { gcr, pipelined_gcr };
enum class Preconditioner : std::uint8_t { none, line };

/// One object for all ranks of a run.
struct Plan {
    std::int64_t levels = 1;
    /// Own columns and their four neighbours.
    Reach reach;
    Method method = Method::gcr;
    Preconditioner preconditioner = Preconditioner::line;
    /// k: to how many earlier directions the new one is made orthogonal.
    std::int64_t window = 3;
    /// With data at most, without exactly so many.
    std::int64_t iterations = 25;
    /// Of the residual, relative to the right-hand side.
    double tolerance = 1e-8;
    const AllreduceAlgorithm* allreduce = nullptr;
    Options options;
    /// Pieces of the computation between which a pipelined reduction is looked after.
    std::int64_t slices = 4;
};

/// Settings:
///
///     grid = [nx, ny, nz]      nx and ny at least 3; no default
///     processes = [cx, cy]     default: the squarest process grid
///     method                   "gcr" or "pipelined_gcr"
///     preconditioner           "line" or "none"
///     restart                  k (3)
///     iterations               25 without data; with data the most that are allowed (1000)
///     tolerance                1e-8
///     algorithm, radix, ...    of the allreduce ("recursive_k") or "tuned"; the pipelined one has
///                              no other
///     tuning                   of "tuned", see comm/tuning/read_algorithm.hpp
///     slices                   4
/// `iterations` is the default of that setting. Throws ConfigError.
[[nodiscard]] Plan make_plan(const Settings& settings, Rank ranks, std::int64_t iterations);
/// As `make_plan`, without the rows of the reach, whose memory grows with the grid.
[[nodiscard]] Plan make_outline(const Settings& settings, Rank ranks, std::int64_t iterations);
/// The reductions of a run without data.
[[nodiscard]] std::vector<OperationUse> operations(const Settings& settings, Rank ranks);

}  // namespace tradewind::helmholtz

/// Gcr: the loops of the preconditioned solver GCR(k), without data (solver/gcr.hpp).
///
/// Iteration i = 1..N of algorithm 1 (all vectors are distributed, so every < , > is an allreduce):
///
///     x += alpha p;  r -= alpha s;  u = M^-1 r
///     beta_j = - <A u, s_j> / eta_j, the last min(i, k)    allreduce of min(i, k) doubles
///     p = u + sum beta_j p_j;  s = A p
///     gamma = <u, s>;  eta = <s, s>;  alpha = gamma / eta  allreduce of 2 doubles
///
/// N iterations are counted as 2 N allreduces, as in the paper (25 iterations: 50): the two of each
/// pass through the loop. The allreduce of 2 doubles before the loop belongs to the set-up and is
/// left out. Source: zheng2018, section 3.3, algorithm 1 and figure 10.
///
/// The pipelined form has one allreduce of min(i - 1, k) + 2 doubles per iteration, in progress
/// while M^-1 and A are applied (sanan2016).
///
/// The model of models/helmholtz runs the set-up, too, and adds <r, r>, which shows whether it is
/// done, to a reduction of each iteration.
#pragma once

#include <optional>

#include "tradewind/comm/allreduce/allreduce.hpp"
#include "tradewind/program/estimate.hpp"
#include "tradewind/skeleton/halo.hpp"
#include "tradewind/skeleton/point_work.hpp"

namespace tradewind::skeleton {

struct Gcr {
    std::int64_t iterations = 25;
    /// The k of GCR(k): the number of earlier directions that the new one is made orthogonal to.
    std::int64_t restart = 3;
    const AllreduceAlgorithm* algorithm = nullptr;
    Options options;
    /// The computation of a rank in an iteration, before its first allreduce.
    Work work;
    /// The number of systems, which are solved one after the other.
    std::int64_t repeat = 1;
    /// The grid of the system, with the halo that A needs. Without it, only `work` is computed.
    std::optional<Halo> halo{};
    /// The work of M^-1 and A per own point of that grid and iteration.
    PointWork operators{};
    /// The work of sums and updates of vectors per own point of that grid and iteration.
    PointWork vectors{};
    bool is_pipelined = false;
    /// The number of pieces of the computation between which a pipelined reduction is progressed.
    std::int64_t slices = 4;
};

/// Returns the number of doubles in the longest reduction.
[[nodiscard]] std::int64_t longest_reduction(const Gcr& plan) noexcept;

/// Runs the reductions and the computation between them. `sums` holds `longest_reduction` doubles
/// and may be null. Each allreduce of m doubles replaces its first m by their sums over all ranks.
Task solve_gcr(Comm& comm, const Gcr& plan, Buffer sums = {});

[[nodiscard]] Estimate estimate(const Gcr& plan, Rank ranks);

}  // namespace tradewind::skeleton

/// Gcr: the reductions of the preconditioned GCR(k) solver of a semi-implicit scheme.
///
/// Iteration i = 1..N of algorithm 1 (all vectors are distributed, so every < , > is an allreduce):
///
///     x += alpha p;  r -= alpha s;  u = M^-1 r
///     beta_j = - <A u, s_j> / eta_j, the last min(i, k)    allreduce of min(i, k) doubles
///     p = u + sum beta_j p_j;  s = A p
///     gamma = <u, s>;  eta = <s, s>;  alpha = gamma / eta  allreduce of 2 doubles
///
/// N iterations are counted as 2 N allreduces, as the paper does (25 iterations: 50): the two of
/// each pass through the loop. The one of 2 doubles before the loop belongs to the set-up and is
/// left out. Source: zheng2018, section 3.3, algorithm 1 and figure 10.
///
/// The pipelined form has one allreduce of min(i - 1, k) + 2 doubles per iteration, under way while
/// M^-1 and A are applied (sanan2016).
#pragma once

#include <optional>

#include "tradewind/comm/allreduce/allreduce.hpp"
#include "tradewind/program/estimate.hpp"
#include "tradewind/skeleton/halo.hpp"
#include "tradewind/skeleton/point_work.hpp"

namespace tradewind::skeleton {

struct Gcr {
    std::int64_t iterations = 25;
    /// k: how many earlier directions the new one is made orthogonal to.
    std::int64_t restart = 3;
    const AllreduceAlgorithm* algorithm = nullptr;
    Options options;
    /// What a rank computes in an iteration, before its first allreduce.
    Work work;
    /// How many systems are solved, one after the other.
    std::int64_t repeat = 1;
    /// The grid of the system, with the halo that A needs; without, only `work` is computed.
    std::optional<Halo> halo{};
    /// Per own point of that grid and iteration: M^-1 and A; sums and updates of vectors.
    PointWork operators{};
    PointWork vectors{};
    bool is_pipelined = false;
    /// Pieces of the computation between which a pipelined reduction is looked after.
    std::int64_t slices = 4;
};

/// Number of doubles in the longest reduction.
[[nodiscard]] std::int64_t longest_reduction(const Gcr& plan) noexcept;

/// Runs the reductions, and what is computed between them. `sums` holds `longest_reduction`
/// doubles; each allreduce of m doubles replaces its first m by their sums over all ranks. It may
/// be null.
Task solve_gcr(Comm& comm, const Gcr& plan, Buffer sums = {});

[[nodiscard]] Estimate estimate(const Gcr& plan, Rank ranks);

}  // namespace tradewind::skeleton

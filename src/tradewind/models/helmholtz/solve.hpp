/// The preconditioned solvers GCR(k) and pipelined GCR(k), on any Comm; solver/gcr.hpp has the
/// loops.
///
/// GCR(k) has two reductions per iteration. It is algorithm 1 of zheng2018 with the minimiser
/// <r, s>. The paper prints <u, s>, which does not converge with a preconditioner.
///
///     r = b; u = M^-1 r; p = u; s = A p
///     reduce  eta = <s, s>, gamma = <r, s>, <r, r>
///     x += alpha p; r -= alpha s; u = M^-1 r; w = A u              alpha = gamma / eta
///     reduce  <w, s_j> for the last min(i, k) directions           beta_j = - <w, s_j> / eta_j
///     p = u + sum beta_j p_j; s = w + sum beta_j s_j
///
/// Pipelined GCR(k) has one reduction per iteration, in progress during M^-1 and A (sanan2016):
///
///     r = b; z = M^-1 r; w = A z
///     start   <w, s_j>, gamma = <r, w>, delta = <w, w>, <r, r>
///     m = M^-1 w; n = A m                                          meanwhile
///     finish  eta = delta - sum beta_j^2 eta_j
///     p = z + sum beta_j p_j; s = w + ...; q = m + ...; t = n + ...
///     x += alpha p; r -= alpha s; z -= alpha q; w -= alpha t       alpha = gamma / eta
///
/// <r, r> is added to a reduction that is needed anyway. The norm after the update is
/// <r, r> - gamma^2 / eta. Without data the number of iterations is given in advance.
#pragma once

#include "tradewind/comm/program.hpp"
#include "tradewind/models/helmholtz/operators.hpp"

namespace tradewind::helmholtz {

/// The result of a solve on one rank; the numbers are the same on all ranks.
struct Solution {
    std::int64_t iterations = 0;
    std::int64_t reductions = 0;
    bool has_converged = false;
    /// The norms ||r|| / ||b|| after each iteration, from the recurrence.
    std::vector<double> residuals;
    double rhs_norm = 0.0;
    /// The true residual ||b - A x|| / ||b|| and the error ||x - x*|| / ||x*||, computed at the
    /// end.
    double true_residual = 0.0;
    double error = 0.0;
    /// The rank's part of the solution, [own column][level].
    Vector x;
};

/// Solves with data. Throws Error on all ranks if plan.iterations do not reach the tolerance.
Task solve(Comm& comm, const HelmholtzPlan& plan, Solution& solution);
/// Sends the messages of plan.iterations iterations and computes nothing.
Task run_skeleton(Comm& comm, const HelmholtzPlan& plan);

}  // namespace tradewind::helmholtz

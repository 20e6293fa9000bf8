/// The frame of the iteration: right-hand side, true residual and error.
#include "tradewind/models/helmholtz/solve.hpp"

#include <cmath>
#include <memory>

#include "tradewind/models/helmholtz/directions.hpp"

namespace tradewind::helmholtz {

namespace {

/// Replaces each element of `squares` by the square root of its sum over all ranks.
Task norms(Comm& comm, const HelmholtzPlan& plan, std::vector<double>& squares) {
    co_await plan.allreduce->run(comm, {Buffer(std::span(squares)), sum<double>()}, plan.options);
    for (double& square : squares) square = std::sqrt(square);
}

/// Compares the result with the known solution and with the equation itself.
Task judge(Comm& comm, Iteration& iteration, const Vector& exact, const Vector& rhs) {
    Vector difference = iteration.operators.zeros();
    co_await apply(comm, iteration.operators, iteration.x, difference);
    for (std::size_t i = 0; i < rhs.size(); ++i) difference[i] = rhs[i] - difference[i];
    std::vector<double> sums = {dot(difference, difference), dot(rhs, rhs), 0.0, dot(exact, exact)};
    for (std::size_t i = 0; i < exact.size(); ++i) difference[i] = iteration.x[i] - exact[i];
    sums[2] = dot(difference, difference);
    co_await norms(comm, iteration.operators.plan(), sums);
    Solution& solution = *iteration.solution;
    solution.rhs_norm = sums[1];
    solution.true_residual = sums[0] / sums[1];
    solution.error = sums[2] / sums[3];
}

void check_ranks(const Comm& comm, const HelmholtzPlan& plan) {
    const Rank ranks = plan.reach.grid.ranks();
    if (comm.size() == ranks) return;
    throw ConfigError(text("helmholtz: a plan for ", ranks, " ranks was started on ", comm.size()));
}

[[nodiscard]] solver::GcrLoop loop_of(const HelmholtzPlan& plan) {
    return {.algorithm = plan.allreduce,
            .options = plan.options,
            .is_pipelined = plan.method == Method::pipelined_gcr,
            .parts_before = plan.slices,
            .parts_after = plan.slices};
}

}  // namespace

Task solve(Comm& comm, const HelmholtzPlan& plan, Solution& solution) {
    check_ranks(comm, plan);
    const auto iteration = make_iteration(plan, comm.rank(), &solution);
    const Vector exact = iteration->operators.exact_solution();
    co_await apply(comm, iteration->operators, exact, iteration->r);
    const Vector rhs = iteration->r;
    const solver::GcrLoop loop = loop_of(plan);
    co_await solver::solve(comm, loop, *iteration);
    co_await judge(comm, *iteration, exact, rhs);
    solution.x = std::move(iteration->x);
    if (solution.has_converged) co_return;
    throw Error(text("helmholtz: after ", solution.iterations, " iterations the residual is ",
                     solution.residuals.back(), " of the right-hand side, not below ",
                     plan.tolerance));
}

Task run_skeleton(Comm& comm, const HelmholtzPlan& plan) {
    check_ranks(comm, plan);
    const auto iteration = make_iteration(plan, comm.rank(), nullptr);
    const solver::GcrLoop loop = loop_of(plan);
    co_await solver::solve(comm, loop, *iteration);
}

}  // namespace tradewind::helmholtz

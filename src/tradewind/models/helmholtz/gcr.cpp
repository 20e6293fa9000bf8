/// GCR(k): two blocking reductions per iteration.
#include "tradewind/models/helmholtz/directions.hpp"

namespace tradewind::helmholtz {

namespace {

/// Replaces `sums` by their sums over all ranks.
Task reduce(Comm& comm, Iteration& iteration, std::vector<double>& sums) {
    comm.begin_phase("reduction");
    if (iteration.is_real()) ++iteration.solution->reductions;
    const std::span values(sums);
    const Buffer data = iteration.is_real() ? Buffer(values) : Buffer(Bytes(values.size_bytes()));
    const HelmholtzPlan& plan = iteration.plan();
    co_await plan.allreduce->run(comm, {data, sum<double>()}, plan.options);
    comm.begin_phase("compute");
}

/// Computes u = M^-1 r and w = A u.
Task next_pair(Comm& comm, Iteration& iteration, Vector& u, Vector& w) {
    comm.begin_phase("compute");
    co_await precondition(comm, iteration.operators, iteration.r, u);
    co_await apply(comm, iteration.operators, u, w);
}

/// Computes the factors beta that make the next direction orthogonal to the last ones.
Task orthogonalise(Comm& comm, Iteration& iteration, const Directions& directions, const Vector& w,
                   std::vector<double>& beta) {
    const std::int64_t count = directions.count();
    beta.assign(std::size_t(count), 0.0);
    for (std::int64_t j = 0; j < count; ++j) beta[std::size_t(j)] = dot(w, directions.at(1, j));
    co_await comm.compute(vector_work(iteration.operators, count));
    co_await reduce(comm, iteration, beta);
    for (std::int64_t j = 0; j < count; ++j) beta[std::size_t(j)] /= -directions.eta(j);
}

}  // namespace

Task iterate_gcr(Comm& comm, Iteration& iteration) {
    Directions directions(iteration.operators, 2);
    Vector u = iteration.operators.zeros();
    Vector w = u;
    std::vector<double> beta;
    std::vector<double> sums;
    for (bool is_last = false; !is_last;) {
        co_await next_pair(comm, iteration, u, w);
        if (iteration.done > 0) co_await orthogonalise(comm, iteration, directions, w, beta);
        const Vector* const start[] = {&u, &w};
        const std::int64_t known = directions.count();
        directions.make(start, beta);
        const Vector& p = directions.newest(0);
        const Vector& s = directions.newest(1);
        sums = {dot(s, s), dot(iteration.r, s), dot(iteration.r, iteration.r)};
        co_await comm.compute(vector_work(iteration.operators, 2 * known + 3));
        co_await reduce(comm, iteration, sums);
        directions.keep_eta(sums[0]);
        if (iteration.done == 0) iteration.squared_rhs = sums[2];
        const double alpha = sums[1] / sums[0];
        add(alpha, p, iteration.x);
        add(-alpha, s, iteration.r);
        co_await comm.compute(vector_work(iteration.operators, 2));
        is_last = iteration.note(sums[2] - alpha * sums[1]);
    }
}

}  // namespace tradewind::helmholtz

/// Pipelined GCR(k): one reduction per iteration, in progress while M^-1 and A are applied.
#include <memory>

#include "tradewind/comm/allreduce/started.hpp"
#include "tradewind/models/helmholtz/directions.hpp"

namespace tradewind::helmholtz {

namespace {

/// The vectors of the pipelined method besides x and r.
struct PipelinedVectors {
    explicit PipelinedVectors(const Operators& operators)
        : directions(operators, 4),
          z(operators.zeros()),
          w(operators.zeros()),
          m(operators.zeros()),
          n(operators.zeros()) {}

    Directions directions;
    Vector z;
    Vector w;
    Vector m;
    Vector n;
    /// Sums <w, s_j> for each direction, then gamma, delta and <r, r>.
    std::vector<double> sums;
};

void sum_up(const Iteration& iteration, PipelinedVectors& pipeline) {
    const std::int64_t count = pipeline.directions.count();
    pipeline.sums.clear();
    for (std::int64_t j = 0; j < count; ++j)
        pipeline.sums.push_back(dot(pipeline.w, pipeline.directions.at(1, j)));
    pipeline.sums.push_back(dot(iteration.r, pipeline.w));
    pipeline.sums.push_back(dot(pipeline.w, pipeline.w));
    pipeline.sums.push_back(dot(iteration.r, iteration.r));
}

/// Computes m = M^-1 w and n = A m, and progresses the reduction between the slices.
Task overlap(Comm& comm, Iteration& iteration, PipelinedVectors& pipeline,
             StartedAllreduce& reduction) {
    Operators& operators = iteration.operators;
    for (std::int64_t slice = 0; slice < iteration.plan().slices; ++slice) {
        co_await operators.precondition_slice(comm, slice, pipeline.w, pipeline.m);
        co_await advance(comm, reduction);
    }
    co_await operators.exchange(comm, pipeline.m);
    for (std::int64_t slice = 0; slice < iteration.plan().slices; ++slice) {
        co_await advance(comm, reduction);
        co_await operators.apply_slice(comm, slice, pipeline.n);
    }
}

/// Turns the sums into beta and returns eta. Forgets all directions if rounding has made eta
/// negative.
[[nodiscard]] double orthogonalise(const Iteration& iteration, PipelinedVectors& pipeline) {
    Directions& directions = pipeline.directions;
    const auto count = std::size_t(directions.count());
    const double delta = pipeline.sums[count + 1];
    double eta = delta;
    for (std::size_t j = 0; j < count; ++j) {
        const double eta_j = directions.eta(std::int64_t(j));
        pipeline.sums[j] /= -eta_j;
        eta -= pipeline.sums[j] * pipeline.sums[j] * eta_j;
    }
    if (eta > 0.0 || !iteration.is_real()) return eta;
    directions.forget();
    return delta;
}

/// Makes the next direction and takes the step along it.
Task step(Comm& comm, Iteration& iteration, PipelinedVectors& pipeline, bool& is_last) {
    const auto count = std::size_t(pipeline.directions.count());
    const double gamma = pipeline.sums[count];
    const double norm = pipeline.sums[count + 2];
    if (iteration.done == 0) iteration.squared_rhs = norm;
    const double eta = orthogonalise(iteration, pipeline);
    const Vector* const start[] = {&pipeline.z, &pipeline.w, &pipeline.m, &pipeline.n};
    const std::int64_t known = pipeline.directions.count();
    pipeline.directions.make(start, pipeline.sums);
    pipeline.directions.keep_eta(eta);
    const double alpha = gamma / eta;
    add(alpha, pipeline.directions.newest(0), iteration.x);
    add(-alpha, pipeline.directions.newest(1), iteration.r);
    add(-alpha, pipeline.directions.newest(2), pipeline.z);
    add(-alpha, pipeline.directions.newest(3), pipeline.w);
    co_await comm.compute(vector_work(iteration.operators, 4 * known + 4));
    is_last = iteration.note(norm - alpha * gamma);
}

}  // namespace

Task iterate_pipelined(Comm& comm, Iteration& iteration) {
    const auto pipeline = std::make_unique<PipelinedVectors>(iteration.operators);
    comm.begin_phase("compute");
    co_await precondition(comm, iteration.operators, iteration.r, pipeline->z);
    co_await apply(comm, iteration.operators, pipeline->z, pipeline->w);
    for (bool is_last = false; !is_last;) {
        sum_up(iteration, *pipeline);
        co_await comm.compute(
            vector_work(iteration.operators, std::int64_t(pipeline->sums.size())));
        const std::span values(pipeline->sums);
        const Buffer data =
            iteration.is_real() ? Buffer(values) : Buffer(Bytes(values.size_bytes()));
        const auto reduction = std::make_unique<StartedAllreduce>(
            comm, Allreduce{data, sum<double>()}, iteration.plan().options.radix);
        if (iteration.is_real()) ++iteration.solution->reductions;
        co_await overlap(comm, iteration, *pipeline, *reduction);
        comm.begin_phase("reduction");
        co_await finish(comm, *reduction);
        comm.begin_phase("compute");
        co_await step(comm, iteration, *pipeline, is_last);
    }
}

}  // namespace tradewind::helmholtz

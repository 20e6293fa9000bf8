/// The loops of GCR(k) and pipelined GCR(k), reduced to their messages and costs.
#include "tradewind/skeleton/gcr.hpp"

#include <algorithm>
#include <memory>

#include "tradewind/comm/allreduce/started.hpp"
#include "tradewind/comm/protocol/put_channel.hpp"

namespace tradewind::skeleton {

namespace {

[[nodiscard]] Bytes reduced_bytes(const Gcr& plan, std::int64_t iteration, bool first) noexcept {
    return Bytes(sizeof(double)) * (first ? std::min(iteration, plan.restart) : 2);
}

[[nodiscard]] double own_points(const Gcr& plan, Rank rank) {
    return plan.halo ? double(owned_box(*plan.halo, rank).points()) : 0.0;
}

/// Returns the options with the channel that they need on `comm`.
[[nodiscard]] Options opened(Comm& comm, const Gcr& plan, bool has_data) {
    const Bytes longest = longest_reduction(plan) * Bytes(sizeof(double));
    return with_channel(plan.options,
                        open_channel(comm, plan.options.transport, longest, has_data));
}

/// Returns `share` of M^-1 and A on the own points, and of the work of an iteration without a grid.
[[nodiscard]] Work operator_work(const Gcr& plan, Rank rank, double share) {
    const Work work = share * own_points(plan, rank) * plan.operators;
    return {work.flops + share * plan.work.flops,
            work.memory + Bytes(share * double(plan.work.memory))};
}

/// Computes `work`; without work there is not even a wait.
Task compute(Comm& comm, Work work) {
    if (work.flops <= 0.0 && work.memory <= 0) co_return;
    comm.begin_phase("compute");
    co_await comm.compute(work);
}

/// Applies M^-1 and A, before the first allreduce of an iteration.
Task apply_operators(Comm& comm, const Gcr& plan) {
    if (plan.halo) co_await exchange_halo(comm, *plan.halo);
    co_await compute(comm, operator_work(plan, comm.rank(), 1.0));
}

/// Applies M^-1 and A in slices and progresses the reduction between them.
Task overlap(Comm& comm, const Gcr& plan, StartedAllreduce& reduction) {
    const Work slice = operator_work(plan, comm.rank(), 1.0 / double(2 * plan.slices));
    for (std::int64_t n = 0; n < plan.slices; ++n) {
        co_await compute(comm, slice);
        co_await advance(comm, reduction);
    }
    if (plan.halo) co_await exchange_halo(comm, *plan.halo);
    for (std::int64_t n = 0; n < plan.slices; ++n) {
        co_await advance(comm, reduction);
        co_await compute(comm, slice);
    }
}

Task solve_pipelined(Comm& comm, const Gcr& plan, Buffer sums) {
    const Work vectors = own_points(plan, comm.rank()) * plan.vectors;
    for (std::int64_t step = 0; step < plan.iterations * plan.repeat; ++step) {
        comm.begin_phase("allreduce");
        const Bytes bytes =
            Bytes(sizeof(double)) * (std::min(step % plan.iterations, plan.restart) + 2);
        const auto reduction = std::make_unique<StartedAllreduce>(
            comm, Allreduce{sums.part(0, bytes), sum<double>()}, plan.options.radix);
        co_await overlap(comm, plan, *reduction);
        comm.begin_phase("allreduce");
        co_await finish(comm, *reduction);
        co_await compute(comm, vectors);
    }
}

Task solve_plain(Comm& comm, const Gcr& plan, Buffer sums) {
    const bool computes = plan.halo || plan.work.flops > 0 || plan.work.memory > 0;
    const Work vectors = own_points(plan, comm.rank()) * plan.vectors;
    const Options options = opened(comm, plan, !sums.is_null());
    for (std::int64_t step = 0; step < 2 * plan.iterations * plan.repeat; ++step) {
        const bool first = step % 2 == 0;
        if (computes && first) co_await apply_operators(comm, plan);
        if (computes && !first) co_await compute(comm, vectors);
        comm.begin_phase("allreduce");
        const std::int64_t iteration = step / 2 % plan.iterations + 1;
        const Allreduce vector{sums.part(0, reduced_bytes(plan, iteration, first)), sum<double>()};
        co_await plan.algorithm->run(comm, vector, options);
    }
}

}  // namespace

std::int64_t longest_reduction(const Gcr& plan) noexcept {
    if (plan.is_pipelined) return std::min(plan.iterations - 1, plan.restart) + 2;
    return std::max<std::int64_t>(std::min(plan.iterations, plan.restart), 2);
}

Task solve_gcr(Comm& comm, const Gcr& plan, Buffer sums) {
    return plan.is_pipelined ? solve_pipelined(comm, plan, sums) : solve_plain(comm, plan, sums);
}

Estimate estimate(const Gcr& plan, Rank ranks) {
    if (plan.is_pipelined) {
        return count_messages(ranks, [&](Comm& comm) { return solve_gcr(comm, plan, Buffer{}); });
    }
    const auto allreduces = [&](std::int64_t count, std::int64_t doubles) {
        const auto run = [&](Comm& comm) {
            const Allreduce vector{Buffer(doubles * Bytes(sizeof(double))), sum<double>()};
            return plan.algorithm->run(comm, vector, opened(comm, plan, false));
        };
        return double(count) * count_messages(ranks, run);
    };
    const std::int64_t growing = std::min(plan.restart, plan.iterations);
    Estimate one = allreduces(plan.iterations, 2);
    for (std::int64_t doubles = 1; doubles < growing; ++doubles) one += allreduces(1, doubles);
    one += allreduces(plan.iterations - growing + 1, growing);
    if (plan.halo) one += double(plan.iterations) * estimate(*plan.halo, ranks);
    return double(plan.repeat) * one;
}

}  // namespace tradewind::skeleton

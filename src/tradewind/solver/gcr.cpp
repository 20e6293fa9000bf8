/// The two loops.
#include "tradewind/solver/gcr.hpp"

#include <memory>

#include "tradewind/comm/allreduce/started.hpp"

namespace tradewind::solver {

namespace {

/// Begins the phase of a computation; returns false if there is nothing to compute.
[[nodiscard]] bool begin(Comm& comm, const GcrLoop& loop, const Work& work) {
    if (work.flops <= 0.0 && work.memory <= 0) return false;
    if (loop.is_phase_per_work) comm.begin_phase("compute");
    return true;
}

/// Begins the phase of the computations up to the next reduction.
void begin_computations(Comm& comm, const GcrLoop& loop) {
    if (!loop.is_phase_per_work) comm.begin_phase("compute");
}

/// Applies M^-1 and A, and progresses the reduction between the parts if there is one.
Task apply_operators(Comm& comm, const GcrLoop& loop, GcrSystem& system,
                     StartedAllreduce* reduction) {
    for (std::int64_t part = 0; part < loop.parts_before; ++part) {
        const Work work = system.precondition(part);
        if (begin(comm, loop, work)) co_await comm.compute(work);
        if (reduction != nullptr) co_await advance(comm, *reduction);
    }
    co_await system.exchange(comm);
    for (std::int64_t part = 0; part < loop.parts_after; ++part) {
        if (reduction != nullptr) co_await advance(comm, *reduction);
        const Work work = system.apply(part);
        if (begin(comm, loop, work)) co_await comm.compute(work);
    }
}

Task solve_blocking(Comm& comm, const GcrLoop& loop, GcrSystem& system) {
    while (!system.is_done()) {
        begin_computations(comm, loop);
        co_await apply_operators(comm, loop, system, nullptr);
        for (int left = system.directions() > 0 ? 2 : 1; left > 0; --left) {
            const Work products = left == 2 ? system.project() : system.extend();
            if (begin(comm, loop, products)) co_await comm.compute(products);
            comm.begin_phase(loop.reduction_phase);
            const Allreduce vector{system.sums(), sum<double>()};
            co_await loop.algorithm->run(comm, vector, loop.options);
            begin_computations(comm, loop);
        }
        const Work update = system.update();
        if (begin(comm, loop, update)) co_await comm.compute(update);
    }
}

Task solve_pipelined(Comm& comm, const GcrLoop& loop, GcrSystem& system) {
    begin_computations(comm, loop);
    if (loop.has_set_up) co_await apply_operators(comm, loop, system, nullptr);
    while (!system.is_done()) {
        const Work projection = system.project();
        if (begin(comm, loop, projection)) co_await comm.compute(projection);
        if (loop.is_phase_per_work) comm.begin_phase(loop.reduction_phase);
        const auto reduction = std::make_unique<StartedAllreduce>(
            comm, Allreduce{system.sums(), sum<double>()}, loop.options.radix);
        co_await apply_operators(comm, loop, system, reduction.get());
        comm.begin_phase(loop.reduction_phase);
        co_await finish(comm, *reduction);
        begin_computations(comm, loop);
        const Work update = system.update();
        if (begin(comm, loop, update)) co_await comm.compute(update);
    }
}

}  // namespace

Task solve(Comm& comm, const GcrLoop& loop, GcrSystem& system) {
    return loop.is_pipelined ? solve_pipelined(comm, loop, system)
                             : solve_blocking(comm, loop, system);
}

}  // namespace tradewind::solver

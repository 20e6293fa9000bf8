/// The loop of GCR(k), reduced to what the ranks tell each other.
#include "tradewind/skeleton/gcr.hpp"

#include <algorithm>

#include "tradewind/comm/protocol/put_channel.hpp"

namespace tradewind::skeleton {

namespace {

[[nodiscard]] Bytes reduced_bytes(const Gcr& plan, std::int64_t iteration, bool first) noexcept {
    return Bytes(sizeof(double)) * (first ? std::min(iteration, plan.restart) : 2);
}

/// The options with the channel that they need on `comm`.
[[nodiscard]] Options opened(Comm& comm, const Gcr& plan, bool has_data) {
    const Bytes longest = longest_reduction(plan) * Bytes(sizeof(double));
    return with_channel(plan.options,
                        open_channel(comm, plan.options.transport, longest, has_data));
}

}  // namespace

std::int64_t longest_reduction(const Gcr& plan) noexcept {
    return std::max<std::int64_t>(std::min(plan.iterations, plan.restart), 2);
}

Task solve_gcr(Comm& comm, const Gcr& plan, Buffer sums) {
    const bool computes = plan.work.flops > 0 || plan.work.memory > 0;
    const Options options = opened(comm, plan, !sums.is_null());
    for (std::int64_t step = 0; step < 2 * plan.iterations * plan.repeat; ++step) {
        const bool first = step % 2 == 0;
        if (first && computes) {
            comm.begin_phase("compute");
            co_await comm.compute(plan.work);
        }
        comm.begin_phase("allreduce");
        const std::int64_t iteration = step / 2 % plan.iterations + 1;
        const Allreduce vector{sums.part(0, reduced_bytes(plan, iteration, first)), sum<double>()};
        co_await plan.algorithm->run(comm, vector, options);
    }
}

Estimate estimate(const Gcr& plan, Rank ranks) {
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
    return double(plan.repeat) * one;
}

}  // namespace tradewind::skeleton

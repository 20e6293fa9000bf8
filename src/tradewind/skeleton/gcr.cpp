/// A system without data: the lengths of the reductions and the work between them.
#include "tradewind/skeleton/gcr.hpp"

#include <algorithm>

#include "tradewind/comm/protocol/put_channel.hpp"
#include "tradewind/solver/gcr.hpp"

namespace tradewind::skeleton {

namespace {

/// The costs of one system on one rank, and the lengths of its reductions.
class CostedSystem final : public solver::GcrSystem {
public:
    CostedSystem(const Gcr& plan, Rank rank, Buffer memory)
        : plan_(plan),
          points_(plan.halo ? double(owned_box(*plan.halo, rank).points()) : 0.0),
          memory_(memory) {}

    [[nodiscard]] Work precondition(std::int64_t part) override { return apply(part); }
    [[nodiscard]] Task exchange(Comm& comm) override {
        return plan_.halo ? exchange_halo(comm, *plan_.halo) : Task();
    }
    /// Returns an equal share of M^-1 and A on the own points, and of the work without a grid.
    [[nodiscard]] Work apply(std::int64_t /*part*/) override {
        const double share = plan_.is_pipelined ? 1.0 / double(2 * plan_.slices) : 1.0;
        const Work work = share * points_ * plan_.operators;
        return {work.flops + share * plan_.work.flops,
                work.memory + Bytes(share * double(plan_.work.memory))};
    }

    [[nodiscard]] std::int64_t directions() const override {
        return std::min(plan_.is_pipelined ? done_ : done_ + 1, plan_.restart);
    }
    [[nodiscard]] Work project() override {
        doubles_ = directions() + (plan_.is_pipelined ? 2 : 0);
        return {};
    }
    [[nodiscard]] Work extend() override {
        doubles_ = 2;
        return points_ * plan_.vectors;
    }
    [[nodiscard]] Buffer sums() override {
        return memory_.part(0, doubles_ * Bytes(sizeof(double)));
    }
    [[nodiscard]] Work update() override {
        ++done_;
        return plan_.is_pipelined ? points_ * plan_.vectors : Work{};
    }
    [[nodiscard]] bool is_done() const override { return done_ == plan_.iterations; }

private:
    const Gcr& plan_;
    double points_;
    Buffer memory_;
    std::int64_t doubles_ = 0;
    std::int64_t done_ = 0;
};

/// Returns the options with the channel that they need on `comm`.
[[nodiscard]] Options opened(Comm& comm, const Gcr& plan, bool has_data) {
    const Bytes longest = longest_reduction(plan) * Bytes(sizeof(double));
    return with_channel(plan.options,
                        open_channel(comm, plan.options.transport, longest, has_data));
}

}  // namespace

std::int64_t longest_reduction(const Gcr& plan) noexcept {
    if (plan.is_pipelined) return std::min(plan.iterations - 1, plan.restart) + 2;
    return std::max<std::int64_t>(std::min(plan.iterations, plan.restart), 2);
}

Task solve_gcr(Comm& comm, const Gcr& plan, Buffer sums) {
    const Options options = opened(comm, plan, !sums.is_null());
    const solver::GcrLoop loop{.algorithm = plan.algorithm,
                               .options = options.channel != nullptr ? options : plan.options,
                               .is_pipelined = plan.is_pipelined,
                               .parts_before = plan.is_pipelined ? plan.slices : 0,
                               .parts_after = plan.is_pipelined ? plan.slices : 1,
                               .has_set_up = false,
                               .reduction_phase = "allreduce",
                               .is_phase_per_work = true};
    for (std::int64_t n = 0; n < plan.repeat; ++n) {
        CostedSystem system(plan, comm.rank(), sums);
        co_await solver::solve(comm, loop, system);
    }
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

/// The Helmholtz solver as a program: its messages alone, or a solve with data.
#include "tradewind/models/helmholtz/memory.hpp"
#include "tradewind/models/helmholtz/settings.hpp"
#include "tradewind/models/helmholtz/solve.hpp"
#include "tradewind/program/model_run.hpp"

namespace tradewind::helmholtz {

namespace {

/// The number of iterations in zheng2018.
constexpr std::int64_t iterations_without_data = 25;

[[nodiscard]] std::vector<Number> numbers_of(const Solution& solution) {
    return {{"iterations", "iterations", "1", solution.iterations},
            {"reductions", "reductions", "1", solution.reductions},
            {"residuals", "residual after each iteration, relative", "1", solution.residuals},
            {"true_residual", "true residual", "1", solution.true_residual},
            {"error", "error of the solution", "1", solution.error},
            {"rhs_norm", "norm of the right-hand side", "1", solution.rhs_norm}};
}

class HelmholtzRun final : public ModelRun {
public:
    explicit HelmholtzRun(HelmholtzPlan plan) : plan_(std::move(plan)) {
        outline_.model = "preconditioned solver of a Helmholtz equation";
        outline_.references = "Zheng and Marguinaud 2018; Sanan et al. 2016";
        outline_.processes = plan_.reach.grid.processes;
    }

    [[nodiscard]] const Outline& outline() const noexcept override { return outline_; }
    Task run(Comm& comm, RunObserver& observer, const Checkpoints& /*none*/) const override {
        return follow(comm, plan_, observer);
    }

private:
    static Task follow(Comm& comm, const HelmholtzPlan& plan, RunObserver& observer) {
        Solution solution;
        co_await solve(comm, plan, solution);
        if (comm.rank() != 0) co_return;
        const ModelOutput output{0, 0.0, {}, numbers_of(solution)};
        observer.observed(output);
    }

    HelmholtzPlan plan_;
    Outline outline_;
};

Program make(const Settings& settings, Rank ranks) {
    const auto plan =
        std::make_shared<const HelmholtzPlan>(make_plan(settings, ranks, iterations_without_data));
    return [plan](Comm& comm) { return run_skeleton(comm, *plan); };
}

Estimate expect(const Settings& settings, Rank ranks) {
    return count_messages(ranks, make(settings, ranks), most_ranks_counted);
}

std::unique_ptr<const ModelRun> plan(const Settings& settings, Rank ranks) {
    return std::make_unique<HelmholtzRun>(make_plan(settings, ranks, most_iterations));
}

RunMemory memory(const Settings& settings, Rank ranks) {
    return memory_of(make_draft(settings, ranks, most_iterations));
}

}  // namespace

extern const ProgramEntry entry;
constinit const ProgramEntry entry = {
    .name = "helmholtz",
    .summary = "GCR(k) or pipelined GCR(k) on a 3-D Helmholtz problem",
    .settings = given::always,
    .operation = "allreduce",
    .make = make,
    .estimate = expect,
    .operations = operations,
    .processes = models::processes_of_columns,
    .plan = plan,
    .memory = memory,
    .is_timed_with_data = false,
};

}  // namespace tradewind::helmholtz

/// Reading and checking of a plan.
#include "tradewind/models/helmholtz/plan.hpp"

#include "tradewind/base/interrupts.hpp"
#include "tradewind/comm/tuning/read_algorithm.hpp"
#include "tradewind/models/helmholtz/settings.hpp"

namespace tradewind::helmholtz {

namespace {

constexpr std::string_view name = "helmholtz";
/// Returns the reach of the own rows: the row of `row` and its two neighbours around the domain. In
/// x the own rows reach one column further on each side.
[[nodiscard]] std::vector<ReachRow> neighbours(std::int64_t first, std::int64_t rows,
                                               std::int64_t ny) {
    std::vector<std::int64_t> width(std::size_t(ny), -1);
    width[std::size_t((first + ny - 1) % ny)] = 0;
    width[std::size_t((first + rows) % ny)] = 0;
    for (std::int64_t j = first; j < first + rows; ++j) width[std::size_t(j)] = 1;
    std::vector<ReachRow> result;
    for (std::int64_t j = 0; j < ny; ++j)
        if (width[std::size_t(j)] >= 0) result.push_back({j, width[std::size_t(j)]});
    return result;
}

void read_grid(const Settings& settings, Rank ranks, HelmholtzPlan& plan) {
    const auto grid = given::grid.of(settings);
    if (grid[0] < 3 || grid[1] < 3) {
        throw ConfigError(text(name, ": grid has ", grid[0], " x ", grid[1],
                               " columns; at least 3 x 3 are needed"));
    }
    plan.levels = grid[2];
    plan.reach.grid = ColumnGrid(grid[0], grid[1],
                                 models::read_processes(name, settings, ranks, {grid[0], grid[1]}));
}

void make_reach(HelmholtzPlan& plan) {
    const Partition& y = plan.reach.grid.y;
    for (std::int64_t row = 0; row < y.parts(); ++row) {
        check_interrupts(y.items());
        plan.reach.rows.push_back(neighbours(y.start(row), y.size(row), y.items()));
    }
}

/// Returns the bytes of the longest reduction: one number for each earlier direction, and the
/// norms.
[[nodiscard]] Bytes reduced_bytes(const HelmholtzPlan& plan) {
    const std::int64_t norms = 3;
    const std::int64_t most =
        plan.method == Method::gcr ? std::max(plan.restart, norms) : plan.restart + norms;
    return most * Bytes(sizeof(double));
}

void read_reduction(const Settings& settings, Rank ranks, HelmholtzPlan& plan) {
    const auto choice = read_allreduce(settings, ranks, reduced_bytes(plan));
    plan.allreduce = choice.algorithm;
    plan.options = choice.options;
    if (plan.method == Method::gcr) return;
    if (plan.allreduce->name != "recursive_k" || !plan.options.protocol.is_default()) {
        throw ConfigError(text(name,
                               ": pipelined_gcr reduces with recursive_k and without a "
                               "protocol, not with ",
                               plan.allreduce->name));
    }
}

}  // namespace

HelmholtzPlan make_draft(const Settings& settings, Rank ranks, std::int64_t iterations) {
    refuse_unknown(name, settings, {given::always, algorithm_settings::two_sided});
    HelmholtzPlan plan;
    read_grid(settings, ranks, plan);
    plan.method = given::method.of(settings);
    plan.preconditioner = given::preconditioner.of(settings);
    plan.restart = given::restart.of(settings);
    plan.iterations = given::iterations.of(settings, iterations);
    plan.tolerance = given::tolerance.of(settings);
    plan.slices = given::slices.of(settings);
    read_reduction(settings, ranks, plan);
    return plan;
}

HelmholtzPlan make_plan(const Settings& settings, Rank ranks, std::int64_t iterations) {
    HelmholtzPlan plan = make_draft(settings, ranks, iterations);
    make_reach(plan);
    return plan;
}

std::vector<OperationUse> operations(const Settings& settings, Rank ranks) {
    const HelmholtzPlan plan = make_plan(settings, ranks, HelmholtzPlan{}.iterations);
    const std::int64_t per_iteration = plan.method == Method::gcr ? 2 : 1;
    return {{"allreduce", ranks, reduced_bytes(plan), "", per_iteration * plan.iterations, ""}};
}

}  // namespace tradewind::helmholtz

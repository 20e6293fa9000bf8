/// Readers of settings that several programs have.
#include "tradewind/skeleton/read_plan.hpp"

#include "tradewind/comm/tuning/read_algorithm.hpp"

namespace tradewind::skeleton {

void check_bytes(double bytes) {
    if (bytes > most_bytes)
        throw ConfigError(text("data of ", bytes, " bytes are more than ", most_bytes));
}

Extents read_grid(const Settings& settings) {
    const auto numbers = shared::grid.of(settings);
    return {numbers[0], numbers[1], numbers[2]};
}

Elements read_elements(const Settings& settings, const Extents& grid) {
    const Elements elements{shared::element_size.of(settings), shared::fields.of(settings)};
    check_bytes(double(grid[0]) * double(grid[1]) * double(grid[2]) * double(elements.size) *
                double(elements.fields));
    return elements;
}

ProcessGrid read_processes(const Settings& settings, Rank ranks, const ProcessLimits& limits) {
    const auto given = shared::processes.find(settings);
    if (!given) return process_grid(ranks, limits);
    return process_grid(ranks, limits, ProcessGrid{given->at(0), given->at(1)});
}

void read_stages(const Settings& settings, Transposition& plan) {
    for (std::size_t stage = 0; stage < stage_names.size(); ++stage) {
        const StageShape shape = stage_shape(plan, stage);
        plan.by_stage.push_back(read_alltoallv(settings, shape.group, shape.block));
    }
}

void read_iterations(const Settings& settings, Rank ranks, Gcr& plan) {
    plan.iterations = shared::iterations.of(settings);
    plan.restart = shared::restart.of(settings);
    const Bytes longest = longest_reduction(plan) * Bytes(sizeof(double));
    const auto choice = read_allreduce(settings, ranks, longest);
    plan.algorithm = choice.algorithm;
    plan.options = choice.options;
}

}  // namespace tradewind::skeleton

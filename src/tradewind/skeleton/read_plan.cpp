/// Readers of settings that several programs have.
#include "tradewind/skeleton/read_plan.hpp"

#include "tradewind/comm/tuning/read_algorithm.hpp"

namespace tradewind::skeleton {

void check_bytes(double bytes) {
    if (bytes > most_bytes)
        throw ConfigError(text("data of ", bytes, " bytes are more than ", most_bytes));
}

double real_number(const Settings& settings, const std::string& key, double otherwise, double low,
                   double high) {
    const auto value = settings.get<double>(key, otherwise);
    const bool inside = value >= low && value <= high;  // false for not-a-number
    if (inside) return value;
    throw ConfigError(text(key, " = ", value, " is not in ", low, "..", high));
}

bool is_second(const Settings& settings, const std::string& key, std::string_view first,
               std::string_view second) {
    const auto value = settings.get<std::string>(key, std::string(first));
    if (value == first || value == second) return value == second;
    throw ConfigError(text(key, " = \"", value, "\" is unknown; known are: ", first, ", ", second));
}

Extents read_grid(const Settings& settings) {
    const auto numbers = whole_numbers(settings, "grid", 3);
    return {numbers[0], numbers[1], numbers[2]};
}

Elements read_elements(const Settings& settings, const Extents& grid) {
    const Elements elements{settings.whole("element_size", 8, 1, large),
                            settings.whole("fields", 1, 1, large)};
    check_bytes(double(grid[0]) * double(grid[1]) * double(grid[2]) * double(elements.size) *
                double(elements.fields));
    return elements;
}

ProcessGrid read_processes(const Settings& settings, Rank ranks, const ProcessLimits& limits) {
    if (!settings.has("processes")) return process_grid(ranks, limits);
    const auto numbers = whole_numbers(settings, "processes", 2);
    return process_grid(ranks, limits, ProcessGrid{numbers[0], numbers[1]});
}

std::int64_t read_repeat(const Settings& settings) {
    return settings.whole("repeat", 1, 1, large);
}

void read_stages(const Settings& settings, Transposition& plan) {
    for (std::size_t stage = 0; stage < stage_names.size(); ++stage) {
        const StageShape shape = stage_shape(plan, stage);
        plan.by_stage.push_back(read_alltoallv(settings, shape.group, shape.block));
    }
}

void read_iterations(const Settings& settings, Rank ranks, Gcr& plan) {
    plan.iterations = settings.whole("iterations", plan.iterations, 1, large);
    plan.restart = settings.whole("restart", plan.restart, 1, large);
    const Bytes longest = longest_reduction(plan) * Bytes(sizeof(double));
    const auto choice = read_allreduce(settings, ranks, longest);
    plan.algorithm = choice.algorithm;
    plan.options = choice.options;
}

}  // namespace tradewind::skeleton

/// Readers of settings that several programs have.
#include "tradewind/skeleton/read_plan.hpp"

#include <algorithm>

#include "tradewind/comm/read_options.hpp"

namespace tradewind::skeleton {

void check_bytes(double bytes) {
    if (bytes > most_bytes)
        throw ConfigError(text("data of ", bytes, " bytes are more than ", most_bytes));
}

std::vector<std::int64_t> whole_numbers(const Settings& settings, const std::string& key,
                                        std::size_t count) {
    const auto numbers = settings.need<std::vector<std::int64_t>>(key);
    const auto fits = [](std::int64_t n) { return n >= 1 && n <= large; };
    if (numbers.size() == count && std::ranges::all_of(numbers, fits)) return numbers;
    throw ConfigError(
        text(key, " = [", listed(numbers), "] is not a list of ", count, " numbers in 1..", large));
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

std::optional<Tuning> read_tuning(const Settings& settings) {
    if (settings.get<std::string>("algorithm", "") != "tuned") return {};
    for (const char* key : {"radix", "window", "protocol"}) {
        if (settings.has(key))
            throw ConfigError(text(key, ": the tuning chooses it where the algorithm is tuned"));
    }
    const auto tuning = settings.need<std::string>("tuning");
    return tuning.find('\n') == std::string::npos ? Tuning::load(tuning) : Tuning::parse(tuning);
}

Choice<AlltoallvAlgorithm> read_alltoallv(const Settings& settings, Rank ranks, Bytes block) {
    if (const auto tuning = read_tuning(settings)) return tuning->alltoallv(ranks, block);
    const auto& algorithm = alltoallv_algorithm(settings.get<std::string>("algorithm", "ring_k"));
    return {&algorithm, read_options(settings, algorithm)};
}

Choice<AllreduceAlgorithm> read_allreduce(const Settings& settings, Rank ranks, Bytes vector) {
    if (const auto tuning = read_tuning(settings)) return tuning->allreduce(ranks, vector);
    const auto& algorithm =
        allreduce_algorithm(settings.get<std::string>("algorithm", "recursive_k"));
    return {&algorithm, read_options(settings, algorithm)};
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

/// How the solvers read what their settings have in common.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "tradewind/base/whole_numbers.hpp"
#include "tradewind/comm/process_grid.hpp"

namespace tradewind::models {

inline constexpr std::int64_t large = largest_count;

[[nodiscard]] inline double read_real(std::string_view model, const Settings& settings,
                                      const std::string& key, double otherwise,
                                      std::array<double, 2> range) {
    const auto value = settings.get<double>(key, otherwise);
    const bool inside = value >= range[0] && value <= range[1];  // false for not-a-number
    if (inside) return value;
    throw ConfigError(
        text(model, ": ", key, " = ", value, " is not in ", range[0], "..", range[1]));
}

/// "processes" = [cx, cy] for columns nx by ny, or the squarest grid that fits.
[[nodiscard]] inline ProcessGrid read_processes(std::string_view model, const Settings& settings,
                                                Rank ranks, std::array<std::int64_t, 2> columns) {
    const ProcessLimits limits{{"x", columns[0]}, {"y", columns[1]}};
    if (ranks < 1 || ranks > large)
        throw ConfigError(text(model, ": ranks = ", ranks, " is not in 1..", large));
    if (!settings.has("processes")) return process_grid(ranks, limits);
    const auto given = whole_numbers(settings, "processes", 2);
    return process_grid(ranks, limits, ProcessGrid{given[0], given[1]});
}

}  // namespace tradewind::models

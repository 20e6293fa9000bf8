/// How the solvers read what their settings have in common.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "tradewind/base/settings.hpp"
#include "tradewind/comm/process_grid.hpp"

namespace tradewind::models {

inline constexpr std::int64_t large = std::int64_t{1} << 30;

/// A list of `N` numbers in 1..large.
template <std::size_t N>
[[nodiscard]] std::array<std::int64_t, N> read_numbers(std::string_view model,
                                                       const Settings& settings,
                                                       const std::string& key) {
    const auto given = settings.need<std::vector<std::int64_t>>(key);
    const auto fits = [](std::int64_t n) { return n >= 1 && n <= large; };
    if (given.size() != N || !std::ranges::all_of(given, fits)) {
        throw ConfigError(
            text(model, ": ", key, " is not a list of ", N, " numbers in 1..", large));
    }
    std::array<std::int64_t, N> numbers{};
    std::ranges::copy(given, numbers.begin());
    return numbers;
}

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
    const auto given = read_numbers<2>(model, settings, "processes");
    return process_grid(ranks, limits, ProcessGrid{given[0], given[1]});
}

}  // namespace tradewind::models

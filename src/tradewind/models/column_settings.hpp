/// The settings that models on columns of a latitude-longitude grid share.
#pragma once

#include <array>
#include <string_view>

#include "tradewind/base/setting.hpp"
#include "tradewind/comm/process_grid.hpp"
#include "tradewind/program/entry.hpp"

namespace tradewind::models {

inline constexpr auto large = double(largest_count);
inline constexpr auto grid = declare::whole_list("grid", "grid points in x, y and z", 3).required();
inline constexpr auto processes =
    declare::whole_list("processes", "process grid [cx, cy]; default: the squarest that fits", 2);

/// Reads the process grid of nx by ny columns.
[[nodiscard]] inline ProcessGrid read_processes(std::string_view model, const Settings& settings,
                                                Rank ranks, std::array<std::int64_t, 2> columns) {
    const ProcessLimits limits{{"x", columns[0]}, {"y", columns[1]}};
    check_ranks(model, ranks);
    const auto given = processes.find(settings);
    if (!given) return process_grid(ranks, limits);
    return process_grid(ranks, limits, ProcessGrid{given->at(0), given->at(1)});
}

/// Returns the process grid that a program with columns uses.
[[nodiscard]] inline std::optional<ProcessGrid> processes_of_columns(const Settings& settings,
                                                                     Rank ranks) {
    const auto extents = grid.of(settings);
    return read_processes("program", settings, ranks, {extents[0], extents[1]});
}

}  // namespace tradewind::models

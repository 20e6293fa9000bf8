/// What the settings of the programs have in common, and how it is read and checked.
#pragma once

#include <string>

#include "tradewind/base/settings.hpp"
#include "tradewind/base/whole_numbers.hpp"
#include "tradewind/comm/process_grid.hpp"
#include "tradewind/skeleton/gcr.hpp"
#include "tradewind/skeleton/transposition.hpp"

namespace tradewind::skeleton {

inline constexpr std::int64_t large = largest_count;
/// More bytes than this in all would come close to the end of 64 bits.
inline constexpr double most_bytes = 1e18;

[[nodiscard]] std::string listed(const auto& names) {
    std::string joined;
    for (const auto& name : names) joined += text(joined.empty() ? "" : ", ", name);
    return joined;
}

/// All of these throw ConfigError with what was given and what is allowed.
void check_bytes(double bytes);
/// A number in [low, high].
[[nodiscard]] double real_number(const Settings& settings, const std::string& key, double otherwise,
                                 double low, double high);
/// Whether the text has the second of the two allowed values; the first is the default.
[[nodiscard]] bool is_second(const Settings& settings, const std::string& key,
                             std::string_view first, std::string_view second);
[[nodiscard]] Extents read_grid(const Settings& settings);
[[nodiscard]] Elements read_elements(const Settings& settings, const Extents& grid);
[[nodiscard]] ProcessGrid read_processes(const Settings& settings, Rank ranks,
                                         const ProcessLimits& limits);
[[nodiscard]] std::int64_t read_repeat(const Settings& settings);

/// How each stage is exchanged; grid, processes and elements have been set.
void read_stages(const Settings& settings, Transposition& plan);
/// `iterations`, `restart` and how sums are made; whether it is pipelined has been set.
void read_iterations(const Settings& settings, Rank ranks, Gcr& plan);

}  // namespace tradewind::skeleton

/// Lists of whole numbers among settings: extents of grids and of process grids.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "tradewind/base/settings.hpp"

namespace tradewind {

/// The largest accepted number of points, ranks or repetitions.
inline constexpr std::int64_t largest_count = std::int64_t{1} << 30;

/// Returns the list `key`, which must have exactly `count` numbers, each in 1..largest_count;
/// throws ConfigError otherwise.
[[nodiscard]] inline std::vector<std::int64_t> whole_numbers(const Settings& settings,
                                                             const std::string& key,
                                                             std::size_t count) {
    auto numbers = settings.need<std::vector<std::int64_t>>(key);
    const auto fits = [](std::int64_t n) { return n >= 1 && n <= largest_count; };
    if (numbers.size() == count && std::ranges::all_of(numbers, fits)) return numbers;
    std::string given;
    for (const std::int64_t n : numbers) given += text(given.empty() ? "" : ", ", n);
    throw ConfigError(
        text(key, " = [", given, "] is not a list of ", count, " numbers in 1..", largest_count));
}

}  // namespace tradewind

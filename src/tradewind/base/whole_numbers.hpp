/// Lists of whole numbers among settings: extents of grids and of process grids.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "tradewind/base/settings.hpp"

namespace tradewind {

/// The largest accepted number of points, ranks or repetitions.
inline constexpr std::int64_t largest_count = std::int64_t{1} << 30;

/// Returns the list `key`, which must have exactly `count` numbers, each in low..high; throws
/// ConfigError otherwise.
[[nodiscard]] inline std::vector<std::int64_t> whole_numbers(const Settings& settings,
                                                             const std::string& key,
                                                             std::size_t count,
                                                             std::int64_t low = 1,
                                                             std::int64_t high = largest_count) {
    auto numbers = settings.need<std::vector<std::int64_t>>(key);
    const auto fits = [&](std::int64_t n) { return n >= low && n <= high; };
    if (numbers.size() == count && std::ranges::all_of(numbers, fits)) return numbers;
    std::string given;
    for (const std::int64_t n : numbers) given += text(given.empty() ? "" : ", ", n);
    throw ConfigError(
        text(key, " = [", given, "] is not a list of ", count, " numbers in ", low, "..", high));
}

}  // namespace tradewind

/// Reading and checking the numbers that shape a topology.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "tradewind/base/settings.hpp"
#include "tradewind/sim/topology/topology.hpp"

namespace tradewind::sim {

inline constexpr std::int64_t largest_number = std::numeric_limits<std::int32_t>::max();

/// Returns the whole number `key`, which must be there and lie in [low, high].
[[nodiscard]] inline std::int32_t need_whole(const Settings& settings, const std::string& key,
                                             std::int64_t low, std::int64_t high = largest_number) {
    return static_cast<std::int32_t>(
        settings.whole(key, settings.need<std::int64_t>(key), low, high));
}

/// Returns the nodes per switch, a setting of most topologies.
[[nodiscard]] inline NodeId read_nodes_per_switch(const Settings& settings, NodeId otherwise = 1) {
    return static_cast<NodeId>(settings.whole("nodes_per_switch", otherwise, 1, largest_number));
}

/// Returns a list of positive numbers with `least` to `most` entries.
[[nodiscard]] inline std::vector<std::int32_t> read_list(const Settings& settings,
                                                         const std::string& key, std::size_t least,
                                                         std::size_t most) {
    const auto given = settings.need<std::vector<std::int64_t>>(key);
    if (given.size() < least || given.size() > most) {
        throw TopologyError(text(key, " has ", given.size(), " entries, not ", least, "..", most));
    }
    std::vector<std::int32_t> list;
    for (const std::int64_t value : given) {
        if (value < 1 || value > largest_number) {
            throw TopologyError(text(key, ": ", value, " is not in 1..", largest_number));
        }
        list.push_back(static_cast<std::int32_t>(value));
    }
    return list;
}

/// Returns a * b where both are at least 0. Throws an error that names `what` if the product is not
/// below 2^31.
[[nodiscard]] inline std::int32_t product(std::int64_t a, std::int64_t b, const std::string& what) {
    if (b > 0 && a > largest_number / b) {
        throw TopologyError(text(a, " x ", b, " ", what, " are more than ", largest_number));
    }
    return static_cast<std::int32_t>(a * b);
}

}  // namespace tradewind::sim

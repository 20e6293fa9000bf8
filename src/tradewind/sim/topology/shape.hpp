/// Declarations and checks of the numbers that shape a topology.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "tradewind/base/setting.hpp"
#include "tradewind/sim/topology/topology.hpp"

namespace tradewind::sim {

inline constexpr std::int64_t largest_number = std::numeric_limits<std::int32_t>::max();

/// The setting of most topologies; without it a switch has one node, of a fat tree its arity.
inline constexpr auto nodes_per_switch =
    declare::whole("nodes_per_switch", "nodes of a switch; none: 1, of a fat tree its arity")
        .within(1, 1 << 20);

/// Declares a whole number that a topology needs.
[[nodiscard]] constexpr WholeSetting needed(std::string_view key, std::string_view meaning,
                                            std::int64_t low = 1) {
    return declare::whole(key, meaning).within(double(low), double(largest_number)).required();
}

/// Returns a setting as a number of 32 bits, which its range allows.
[[nodiscard]] inline std::int32_t small(const WholeSetting& setting, const Settings& settings) {
    return std::int32_t(setting.of(settings));
}
[[nodiscard]] inline std::vector<std::int32_t> small(const WholeListSetting& setting,
                                                     const Settings& settings) {
    const auto list = setting.of(settings);
    return {list.begin(), list.end()};
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

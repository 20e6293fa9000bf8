/// LinkPanel: the places of the links of a topology in a picture.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace tradewind::sim {

/// A block of layers, rows and columns; each link of a topology has a place in one panel.
struct LinkPanel {
    std::string name;
    /// The names of the axes: what layers, rows and columns count; "" where there is one only.
    std::array<std::string, 3> axes;
    std::array<std::int64_t, 3> extents{1, 1, 1};
};

struct LinkPlace {
    std::size_t panel = 0;
    std::array<std::int64_t, 3> at{};
};

/// Returns the name of a dimension of a grid: x, y, z, then d3, d4 ...
[[nodiscard]] inline std::string dimension_name(std::size_t dimension) {
    static constexpr std::array<const char*, 3> names{"x", "y", "z"};
    return dimension < names.size() ? names[dimension] : "d" + std::to_string(dimension);
}

/// Returns a panel for links that leave the switches of a grid: columns x, rows y, and a layer for
/// each plane of the other dimensions.
[[nodiscard]] inline LinkPanel grid_panel(std::string name, std::span<const std::int64_t> extents) {
    LinkPanel panel{std::move(name), {"", "", dimension_name(0)}};
    for (std::size_t d = 0; d < extents.size(); ++d) {
        const std::size_t axis = d < 2 ? 2 - d : 0;
        panel.extents[axis] *= extents[d];
        if (d > 2) panel.axes[axis] += " " + dimension_name(d);
        if (d == 1 || d == 2) panel.axes[axis] = dimension_name(d);
    }
    return panel;
}

/// Returns the place of a switch in such a panel.
[[nodiscard]] inline std::array<std::int64_t, 3> grid_place(
    std::span<const std::int64_t> coordinates, std::span<const std::int64_t> extents) {
    std::array<std::int64_t, 3> at{};
    for (std::size_t d = extents.size(); d-- > 0;) {
        const std::size_t axis = d < 2 ? 2 - d : 0;
        at[axis] = at[axis] * extents[d] + coordinates[d];
    }
    return at;
}

}  // namespace tradewind::sim

/// The hybrid levels of the vertical coordinate: p = A p0 + B ps at interfaces, top first.
#pragma once

#include <cstdint>
#include <vector>

namespace tradewind::homme {

inline constexpr double reference_pressure = 1e5;  // Pa

/// Coefficients of levels + 1 interfaces.
struct HybridLevels {
    std::vector<double> a;
    std::vector<double> b;

    [[nodiscard]] std::int64_t count() const noexcept { return std::int64_t(a.size()) - 1; }
    [[nodiscard]] double top() const noexcept { return a[0] * reference_pressure; }
    /// Returns the part of a layer's thickness in Pa that does not depend on the surface pressure.
    [[nodiscard]] double fixed(std::int64_t layer) const {
        const auto k = std::size_t(layer);
        return (a[k + 1] - a[k]) * reference_pressure;
    }
    /// Returns the share of the surface pressure in a layer's thickness.
    [[nodiscard]] double share(std::int64_t layer) const {
        const auto k = std::size_t(layer);
        return b[k + 1] - b[k];
    }
    /// Returns the thickness of a layer in Pa at a surface pressure.
    [[nodiscard]] double thickness(std::int64_t layer, double surface_pressure) const {
        return fixed(layer) + share(layer) * surface_pressure;
    }
    /// Returns the middle of a layer as a share of the surface pressure, if that is p0.
    [[nodiscard]] double middle(std::int64_t layer) const {
        const auto k = std::size_t(layer);
        return 0.5 * (a[k] + b[k] + a[k + 1] + b[k + 1]);
    }
};

/// Returns the 26 levels of CAM, or `count` levels that interpolate them.
[[nodiscard]] HybridLevels hybrid_levels(std::int64_t count);

}  // namespace tradewind::homme

/// Zonal flows in balance with their height, about an axis that may be inclined.
#pragma once

#include <functional>
#include <vector>

#include "tradewind/models/williamson/test_case.hpp"

namespace tradewind::williamson {

/// The speed of one revolution in 12 days: 38.61 m/s.
inline constexpr double revolution_speed =
    2 * 3.14159265358979323846 * radius / (12 * seconds_per_day);

/// The axis through (longitude 180 degrees, latitude 90 degrees - alpha).
class RotationAxis {
public:
    explicit RotationAxis(double alpha);
    /// Returns the sine of the latitude with respect to the axis.
    [[nodiscard]] double sine(LonLat at) const;
    /// Returns the unit wind of solid-body rotation: 1 on the equator of the axis, cos of its
    /// latitude elsewhere.
    [[nodiscard]] HorizontalWind rotation_wind(LonLat at) const;

private:
    double sine_;
    double cosine_;
};

/// The geopotential that balances a zonal wind u(theta), by Gauss quadrature on 512 intervals:
///     g h = g h0 - integral from -pi/2 to theta of (2 Omega a sin t + u tan t) u dt
class BalancedGeopotential {
public:
    BalancedGeopotential(double level, std::function<double(double)> wind);
    [[nodiscard]] double operator()(double theta) const;

private:
    [[nodiscard]] double integral(double from, double to) const;

    std::function<double(double)> wind_;
    /// The geopotential at the ends of the intervals.
    std::vector<double> at_ends_;
    std::vector<double> nodes_;
    std::vector<double> weights_;
};

}  // namespace tradewind::williamson

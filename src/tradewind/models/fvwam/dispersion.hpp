/// The dispersion of gravity waves in water of finite depth.
///
///     sigma^2 = g k tanh(k d)        c_g = sigma / (2 k) (1 + 2 k d / sinh(2 k d))
#pragma once

#include <vector>

#include "tradewind/models/fvwam/spectrum.hpp"

namespace tradewind::fvwam {

/// Returns the wave number in rad/m of an angular frequency in rad/s at a depth in m, to rounding.
[[nodiscard]] double wave_number(double angular, double depth);
/// Returns the group velocity in m/s.
[[nodiscard]] double group_velocity(double angular, double depth);

/// Quantities of the water under a spectrum, as the kernels need them: one for each frequency.
template <class Real>
struct WaterColumn {
    double depth;  // m
    /// The wave number in rad/m, and the group velocity in m/s.
    const Real* wave_number;
    const Real* group_velocity;
    /// sigma / sinh(2 k d) in rad/s, which turns waves, and k / sinh(2 k d) in rad/m, by which the
    /// bottom damps them; both are 0 in deep water.
    const Real* turning;
    const Real* bottom;
};

/// Water columns of many depths, from which the nearest one is taken. Depths have a constant ratio.
template <class Real>
class DepthTable {
public:
    static constexpr double smallest_depth = 0.25;    // m
    static constexpr double largest_depth = 12000.0;  // m

    DepthTable(const SpectralGrid& spectrum, double ratio);

    /// Returns the number of the depth that is nearest in ratio.
    [[nodiscard]] std::int32_t bin(double depth) const;
    [[nodiscard]] WaterColumn<Real> column(std::int32_t bin) const;
    [[nodiscard]] std::int32_t bins() const noexcept { return std::int32_t(depths_.size()); }

private:
    /// The number of quantities of a frequency and depth.
    static constexpr std::int64_t quantities = 4;

    double ratio_;
    std::int64_t frequencies_;
    std::vector<double> depths_;
    std::vector<Real> values_;
};

extern template class DepthTable<float>;
extern template class DepthTable<double>;

}  // namespace tradewind::fvwam

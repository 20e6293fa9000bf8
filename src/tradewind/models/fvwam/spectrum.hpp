/// SpectralGrid: the directions and frequencies of the wave spectrum.
///
/// A spectrum F(f, theta) is the variance of the sea's elevation per Hz and radian, in m2 s/rad. It
/// is stored as value[m * directions + k]: all directions of a frequency are adjacent.
/// Source: pang2025, section 2.1.
#pragma once

#include <cstdint>
#include <vector>

namespace tradewind::fvwam {

inline constexpr double gravity = 9.80616;         // m/s2
inline constexpr double earth_radius = 6371220.0;  // m
inline constexpr double water_density = 1025.0;    // kg/m3
inline constexpr double air_density = 1.293;       // kg/m3

/// Directions in which waves travel, clockwise from north, and frequencies with a constant ratio.
class SpectralGrid {
public:
    /// Makes a grid of `directions` equal sectors, the first one half a sector east of north, and
    /// of `frequencies` from `first` Hz on, each `ratio` times the one before.
    SpectralGrid(std::int64_t directions, std::int64_t frequencies, double first, double ratio);

    [[nodiscard]] std::int64_t directions() const noexcept {
        return std::int64_t(direction_.size());
    }
    [[nodiscard]] std::int64_t frequencies() const noexcept {
        return std::int64_t(frequency_.size());
    }
    /// Returns the number of values of a spectrum.
    [[nodiscard]] std::int64_t size() const noexcept { return directions() * frequencies(); }
    [[nodiscard]] double ratio() const noexcept { return ratio_; }

    /// Returns the direction of a sector's middle in rad, and its sine (east) and cosine (north).
    [[nodiscard]] double direction(std::int64_t k) const { return direction_[std::size_t(k)]; }
    [[nodiscard]] double east(std::int64_t k) const { return east_[std::size_t(k)]; }
    [[nodiscard]] double north(std::int64_t k) const { return north_[std::size_t(k)]; }
    /// Returns the width of a sector in rad.
    [[nodiscard]] double sector() const noexcept { return sector_; }

    /// Returns a frequency in Hz, the angular frequency in rad/s, and the width of the band in Hz,
    /// by the trapezoidal rule.
    [[nodiscard]] double frequency(std::int64_t m) const { return frequency_[std::size_t(m)]; }
    [[nodiscard]] double angular(std::int64_t m) const;
    [[nodiscard]] double bandwidth(std::int64_t m) const { return bandwidth_[std::size_t(m)]; }

private:
    double sector_;
    double ratio_;
    std::vector<double> direction_;
    std::vector<double> east_;
    std::vector<double> north_;
    std::vector<double> frequency_;
    std::vector<double> bandwidth_;
};

}  // namespace tradewind::fvwam

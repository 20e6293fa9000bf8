/// Wind input: the growth of waves under wind, S = gamma F.
///
/// Janssen (WAM cycle 4), with x = max(0, (u*/c + z_alpha) cos(theta - wind)):
///
///     gamma = (rho_air / rho_water) beta omega x^2 (omega^2 / (g k))
///     beta  = (beta_max / kappa^2) mu ln^4 mu   for mu <= 1, else 0       mu = k z0 exp(kappa / x)
///
/// Snyder (WAM cycle 3):
///
///     gamma = 0.25 (rho_air / rho_water) max(0, 28 (u*/c) cos(theta - wind) - 1) omega
///
/// The factor omega^2 / (g k) is 1 in deep water; current versions of WAM have it.
/// Sources: janssen1991 and wamdi1988.
#pragma once

#include <vector>

#include "tradewind/models/fvwam/dispersion.hpp"
#include "tradewind/models/fvwam/sources/air_flow.hpp"
#include "tradewind/models/fvwam/sources/physics.hpp"
#include "tradewind/models/fvwam/sources/rows.hpp"

namespace tradewind::fvwam {

/// The growth of one wave by Janssen, in deep water.
struct WaveGrowth {
    double mu;
    double beta;
    /// gamma / ((rho_air / rho_water) omega)
    double rate;
};

/// Returns the growth of a wave, given u*/c, k z0 and the cosine of its angle with the wind.
[[nodiscard]] WaveGrowth wave_growth(double inverse_age, double roughness, double cosine);

/// Integrals over directions, one number for each frequency.
struct InputSums {
    explicit InputSums(std::int64_t frequencies)
        : wind_sea(std::size_t(frequencies)),
          east(std::size_t(frequencies)),
          north(std::size_t(frequencies)) {}

    /// The waves that grow, in m2 s, and their growth times the unit vector of the direction, in
    /// m2.
    std::vector<double> wind_sea;
    std::vector<double> east;
    std::vector<double> north;
};

/// The directions relative to the wind, and the rates of growth of a cell.
template <class Real>
class WindInput {
public:
    WindInput(const SpectralGrid& spectrum, const RowShape& shape, Physics physics);

    /// Sets the direction in rad in which the wind blows.
    void turn(double direction);
    /// Computes the rates of growth in 1/s, and the sums over directions.
    void evaluate(const Rows<Real>& waves, const WaterColumn<Real>& water, const AirFlow& air);

    [[nodiscard]] const Rows<Real>& rates() const noexcept { return rates_; }
    [[nodiscard]] const InputSums& sums() const noexcept { return sums_; }
    /// Returns the number of the first frequency of which waves can grow.
    [[nodiscard]] std::int64_t first_growing() const noexcept { return first_; }
    /// Returns the row of max(0, cos)^2, which is 0 in the padding.
    [[nodiscard]] const Real* spreading() const noexcept { return directions_[spread_row]; }
    /// Returns the east and north component of the wind's direction.
    [[nodiscard]] double wind_east() const noexcept { return wind_east_; }
    [[nodiscard]] double wind_north() const noexcept { return wind_north_; }
    /// Returns the integral over directions of one row of a spectrum times max(0, cos)^3, in m2 s.
    [[nodiscard]] double along_wind(const Real* waves) const;

private:
    enum DirectionRow : std::uint8_t {
        cosine_row,
        spread_row,
        east_row,
        north_row,
        direction_rows
    };
    /// Numbers of a frequency for all directions: u*/c + z_alpha, or 28 u*/c; ln(k z0); and the
    /// factor of the rate.
    enum FrequencyRow : std::uint8_t { age_row, log_row, factor_row, frequency_rows };

    void skip_fast_waves();
    void prepare_janssen(const WaterColumn<Real>& water, const AirFlow& air);
    void prepare_snyder(const WaterColumn<Real>& water, const AirFlow& air);

    Physics physics_;
    double sector_;
    std::int64_t first_ = 0;
    double wind_east_ = 0.0;
    double wind_north_ = 1.0;
    std::vector<double> angular_;
    Rows<Real> directions_;
    /// 1 for each vector of directions with one along the wind, else 0.
    std::vector<std::uint8_t> is_ahead_;
    Rows<Real> rates_;
    std::vector<Real> numbers_;
    /// ln(k z0) in whole vectors.
    std::vector<double> logarithms_;
    InputSums sums_;
};

extern template class WindInput<float>;
extern template class WindInput<double>;

}  // namespace tradewind::fvwam

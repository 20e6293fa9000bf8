/// Semi-implicit integration of the source terms over one step.
///
///     dF = dt S / max(1, 1 - dt dS/dF)        |dF| <= 5e-7 g f^-4 dt u* max(f_wind sea, f_mean)
///     F  = max((F + dF) exp(-c dt), floor)
///
/// S holds wind input, whitecapping and interactions. The damping c by the bottom and by breaking
/// is exact and not limited, unlike in WAM: where u* is small, the limit would switch it off.
/// The floor is 1/64 of the JONSWAP spectrum of the local wind after 30 km; waves start from it.
/// Above the cut-off the spectrum becomes k^-3 / c_g, which is f^-5 in deep water.
///
/// Sources: komen1994; hersbach1999 for the limit.
#pragma once

#include <vector>

#include "tradewind/models/fvwam/sources/moments.hpp"
#include "tradewind/models/fvwam/sources/physics.hpp"
#include "tradewind/models/fvwam/sources/rows.hpp"

namespace tradewind::fvwam {

/// The coefficients of an update, one for each frequency.
template <class Real>
struct UpdateNumbers {
    explicit UpdateNumbers(std::int64_t frequencies)
        : whitecapping(std::size_t(frequencies)),
          remaining(std::size_t(frequencies)),
          largest(std::size_t(frequencies)) {}

    std::vector<Real> whitecapping;  // 1/s
    std::vector<Real> remaining;     // exp(-c dt)
    std::vector<Real> largest;       // the limit in m2 s/rad
    const Real* floor = nullptr;     // m2 s/rad
};

/// The rows of an update.
template <class Real>
struct UpdateRows {
    const Rows<Real>& rates;       // growth by wind in 1/s
    const Rows<Real>& source;      // interactions in m2
    const Rows<Real>& derivative;  // 1/s
    const Real* spreading;         // the directions of the floor
};

/// Sums of the values of all directions after an update, one for each frequency, in m2 s/rad.
struct UpdateSums {
    explicit UpdateSums(std::int64_t frequencies)
        : all(std::size_t(frequencies)), wind_sea(std::size_t(frequencies)) {}

    std::vector<double> all;
    std::vector<double> wind_sea;
};

template <class Real>
class Integration {
public:
    Integration(const SpectralGrid& spectrum, double time_step);

    [[nodiscard]] double time_step() const noexcept { return time_step_; }
    /// Returns the floor for a wind speed in m/s, one number for each frequency.
    [[nodiscard]] const Real* floor(double speed) const;
    /// Computes the limit of the change for a friction velocity and a mean frequency.
    void limit(double friction_velocity, double frequency, std::vector<Real>& largest) const;
    /// Returns the number of the last frequency that is predicted.
    [[nodiscard]] std::int64_t cut_off(double frequency, double friction_velocity) const;

    void update(const UpdateRows<Real>& rows, const UpdateNumbers<Real>& numbers, Rows<Real>& waves,
                UpdateSums& sums) const;
    /// Sets the spectrum above the cut-off, in the halos as well.
    void set_tail(std::int64_t cut_off, const WaterColumn<Real>& water, Rows<Real>& waves) const;

private:
    double time_step_;
    std::vector<double> frequency_;
    std::vector<double> boundary_;
    std::vector<double> limit_;
    std::vector<Real> floor_;
};

extern template class Integration<float>;
extern template class Integration<double>;

}  // namespace tradewind::fvwam

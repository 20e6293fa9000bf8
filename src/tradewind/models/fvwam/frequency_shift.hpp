/// FrequencyShift: the change of frequencies while the depth of the water changes.
///
///     N_m -= (G_(m+1/2) - G_(m-1/2)) / df_m,   G = max(c, 0) N_m + min(c, 0) N_(m+1),   N = F / sigma
///     c   = (d sigma / d depth) (change of depth) / 2 pi,   d sigma / d depth = sigma k / sinh(2 k d)
///
/// Here N of an edge has half the limited difference of van Leer, times 1 - nu with the Courant
/// number nu, added to it. Without, one tide would make a swell's peak almost twice as wide.
///
/// Without currents the crests of waves in a sea of one depth keep their distance, so k is constant
/// and sigma follows the dispersion relation. The action N is conserved, and energy is not: it
/// grows as sigma does. Bands meet half way between frequencies. What leaves the first or the last
/// band is lost, and nothing enters there. No value becomes negative: a change that would move
/// waves too far is made in several parts. Source: komen1994, section I.2.7.
#pragma once

#include <vector>

#include "tradewind/models/fvwam/dispersion.hpp"

namespace tradewind::fvwam {

/// The rates of a cell and the memory of its fluxes, as the kernel needs them. A row has the values
/// of all directions.
template <class Real>
struct ShiftedBands {
    std::int64_t directions;
    std::int64_t frequencies;
    /// The ways of waves over the edges below each band and above the last one in Hz, positive
    /// upwards, all of one sign.
    const Real* way;
    /// 1 / sigma, sigma / width, and 1 / width of each band.
    const Real* to_action;
    const Real* from_action;
    const Real* inverse_width;
    /// Rows of the action of each band, and of the flux over each edge.
    Real* action;
    Real* flux;
};

template <class Real>
class FrequencyShift {
public:
    explicit FrequencyShift(const SpectralGrid& spectrum);

    /// Shifts a spectrum over water of the mean depth, which changes by `rise` m.
    void apply(const WaterColumn<Real>& water, double rise, Real* values);

private:
    [[nodiscard]] std::int64_t set_ways(const WaterColumn<Real>& water, double rise);

    std::int64_t directions_;
    std::int64_t frequencies_;
    std::vector<double> width_;
    std::vector<Real> to_action_;
    std::vector<Real> from_action_;
    std::vector<Real> inverse_width_;
    std::vector<Real> way_;
    std::vector<Real> action_;
    std::vector<Real> flux_;
};

extern template class FrequencyShift<float>;
extern template class FrequencyShift<double>;

}  // namespace tradewind::fvwam

/// Propagation: one step of the spectra of a rank in space and in direction.
///
///     F_i -= dt sum over edges of (l_e / A_i) [max(c_e, 0) F_i + min(c_e, 0) F_j],   then
///     F_k -= dt / dtheta (G_(k+1/2) - G_(k-1/2)),   G = max(w, 0) F_k + min(w, 0) F_(k+1)
///     c_e = c_g (sin theta n_x + cos theta n_y)
///     w   = sigma / sinh(2 k d) (sin theta dd/dy - cos theta dd/dx) + c_g / R tan phi sin theta
///
/// The first line is first-order upwind advection on Voronoi cells. The limited scheme replaces F_i
/// of an edge by F_i + 1/2 psi (1 - nu) (F_j - F_i) with the limiter psi of van Leer and the
/// Courant number nu, and G likewise. Coasts and open ends absorb. No value becomes negative while
/// the Courant number of all sides together is at most 1 (limited: 1/2). Where waves turn through
/// more than half a sector in a step, as near the poles and on steep slopes, they turn in several
/// parts. At a pole, where directions have no meaning, tan phi is that of half a cell beside it.
/// While the water level changes, frequencies shift after directions turn.
///
/// The method of Heun has two stages of limited advection in space with nu = 0, and is of second
/// order in time, too:
///
///     F1 = F + dt L(F),   F = (F + F1 + dt L(F1)) / 2
///
/// Waves turn and shift through half of a step before it and half of a step after it.
/// Sources: pang2025, equation 1; models of the great circle as WAM has them.
#pragma once

#include <vector>

#include "tradewind/models/fvwam/dispersion.hpp"
#include "tradewind/models/fvwam/frequency_shift.hpp"
#include "tradewind/models/fvwam/mesh/rank_cells.hpp"
#include "tradewind/models/fvwam/propagation_kernels.hpp"
#include "tradewind/models/fvwam/spectra.hpp"

namespace tradewind::fvwam {

enum class Scheme : std::uint8_t { upwind, limited, heun };

/// Returns the rings of halo cells that a scheme needs.
[[nodiscard]] constexpr int rings_of(Scheme scheme) noexcept {
    return scheme == Scheme::upwind ? 1 : 2;
}
/// Returns the stages of a step, each of which needs the cells of the halo.
[[nodiscard]] constexpr int stages_of(Scheme scheme) noexcept {
    return scheme == Scheme::heun ? 2 : 1;
}
/// Returns the largest stable Courant number.
[[nodiscard]] constexpr double largest_courant_number(Scheme scheme) noexcept {
    return scheme == Scheme::upwind ? 1.0 : 0.5;
}

/// Returns the rate at which waves of the lowest frequency, which are the fastest, leave a cell, in
/// 1/s, at the water level from -`tide` to `tide` m at which they are fastest. The largest stable
/// step is the largest Courant number over it.
[[nodiscard]] double outflow_rate(const SpectralGrid& spectrum, const VoronoiMesh& mesh,
                                  std::int64_t cell, double tide = 0.0);

/// The sides and slopes of a rank's cells, as the kernels need them.
template <class Real>
class Propagation {
public:
    /// Prepares the own cells of a rank with the depths of the mesh. All arguments but the last two
    /// must outlive the object.
    Propagation(const SpectralGrid& spectrum, const DepthTable<Real>& depths,
                const VoronoiMesh& mesh, const RankCells& cells, Scheme scheme, double time_step);

    /// Prepares steps in which the water level, above that of the mesh's depths, has the mean
    /// `level` and changes by `rise`, in m.
    void set_level(double level, double rise);

    /// Makes half a step of turning and shifting, without space; for the method of Heun.
    void turn(const Spectra<Real>& now, Spectra<Real>& next,
              const std::vector<std::int32_t>& cells);
    /// Sets `next` to the mean of itself and `before`.
    void average(const Spectra<Real>& before, Spectra<Real>& next,
                 const std::vector<std::int32_t>& cells) const;

    /// Makes a stage: sets `next` of some own cells from `now` of all.
    void advance(const Spectra<Real>& now, Spectra<Real>& next,
                 const std::vector<std::int32_t>& cells);

    /// Returns the water of an own cell.
    [[nodiscard]] WaterColumn<Real> water(std::int64_t cell) const {
        return depths_->column(bins_[std::size_t(cell)]);
    }

private:
    struct PreparedSide {
        /// The rank's number of the cell beyond, or no_cell.
        std::int32_t neighbor;
        /// The number of the depth between the two.
        std::int32_t bin;
        /// The outward normal times time step * length / area.
        Real east;
        Real north;
        /// The area over length * distance.
        Real shape;
        /// The cells behind this one and behind the neighbour, for the limited scheme, or no_cell.
        std::int32_t behind;
        std::int32_t beyond;
    };
    void set_sides();
    void set_turning(std::int64_t cell, double depth);
    void set_frequencies(std::int64_t cell);
    [[nodiscard]] PropagationCell<Real> prepare(std::int64_t cell, const Spectra<Real>& now,
                                                Spectra<Real>& next);
    [[nodiscard]] std::int32_t last_neighbor(std::int64_t cell) const;

    const SpectralGrid* spectrum_;
    const DepthTable<Real>* depths_;
    const VoronoiMesh* mesh_;
    const RankCells* cells_;
    Scheme scheme_;
    double time_step_;
    double rise_ = 0.0;
    FrequencyShift<Real> shift_;
    std::vector<std::int32_t> bins_;
    std::vector<PreparedSide> sides_;
    /// The first frequencies of own cells that have the same velocity at all sides, and that the
    /// bottom does not turn.
    std::vector<std::int32_t> same_velocity_;
    std::vector<std::int32_t> deep_;
    /// The parts in which own cells turn their waves, and slopes to the east and to the north and
    /// tan(latitude) / R, times the time of a part / sector.
    std::vector<std::int32_t> turns_;
    std::vector<Real> slope_east_;
    std::vector<Real> slope_north_;
    std::vector<Real> great_circle_;
    /// The sines and cosines of directions, then of the ends of sectors.
    std::vector<Real> circle_;
    std::vector<Real> zero_;
    std::vector<Real> work_;
    std::vector<PropagationSide<Real>> kernel_sides_;
};

extern template class Propagation<float>;
extern template class Propagation<double>;

}  // namespace tradewind::fvwam

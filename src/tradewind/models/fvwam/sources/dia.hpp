/// Nonlinear interactions of four waves by the discrete interaction approximation (DIA).
///
/// Each wave F(f, theta) exchanges action with waves at (1 + L) f and (1 - L) f, L = 0.25, whose
/// directions differ by 11.48 and 33.56 degrees to opposite sides, and again mirrored:
///
///     A = C f^11 F (F (P + M) - 2 P M)        P = F+ / (1 + L)^4        M = F- / (1 - L)^4
///     dS(f) = -2 A        dS((1 + L) f) = A        dS((1 - L) f) = A
///
/// C = 3000 in these units. In water of finite depth, A is multiplied by
///
///     1 + (5.5 / x)(1 - 0.833 x) exp(-1.25 x)        x = max(0.75 k_mean d, 0.5)
///
/// F+ and F- are interpolated between two frequencies and two directions, and A goes to the same
/// four bins with the same weights:
///
/// - The weights of frequencies are linear in f, as in WAM. With bands in proportion to f, the sums
///   of energy and of action do not change: the weights add up to 1, and those times f to (1 +- L).
/// - The weights of directions are those for which the momentum does not change either. They differ
///   by less than 0.02 from those of WAM for 36 directions. Where they would leave 0 to 1, for
///   less than 16 directions, those of WAM are used.
///
/// The ends are those of WAM. Above the last frequency the spectrum has a tail f^-5, from which
/// waves of up to 1/(1 - L) times the last frequency act on those below. Below the first one it
/// has the front of a Pierson-Moskowitz spectrum, which does not act by itself. What would go to
/// bins outside is lost.
///
/// Sources: hasselmann1985 and wamdi1988.
#pragma once

#include <vector>

#include "tradewind/models/fvwam/sources/moments.hpp"
#include "tradewind/models/fvwam/sources/rows.hpp"

namespace tradewind::fvwam {

/// The partners of the waves of a frequency: their rows, and the weights of the rows, which contain
/// the tail and 1/(1 +- L)^4.
template <class Real>
struct Interaction {
    std::int64_t centre;
    std::int64_t plus[2];
    std::int64_t minus[2];
    Real centre_weight;
    Real plus_weight[2];
    Real minus_weight[2];
    Real strength;  // C f^11
    /// The first of the rows that the frequency keeps.
    std::int64_t kept;
    /// Those of the frequencies of which this one is a partner: at the lower and upper frequency of
    /// F+, then of F-.
    std::int64_t from[4];
};

/// Distances and weights, the same for all frequencies and directions.
template <class Real>
struct InteractionGrid {
    /// The directions to the partners in whole sectors; the second bin is one sector further.
    std::int64_t plus_sectors;
    std::int64_t minus_sectors;
    /// The frequencies to the lower of both bins.
    std::int64_t plus_steps;
    std::int64_t minus_steps;
    /// The weights of two directions and of two frequencies.
    Real plus_direction[2];
    Real minus_direction[2];
    Real plus_frequency[2];
    Real minus_frequency[2];
};

/// Returns the largest distance in directions between partners, which the halo of rows must hold.
[[nodiscard]] std::int64_t interaction_reach(const SpectralGrid& spectrum);

template <class Real>
class Dia {
public:
    Dia(const SpectralGrid& spectrum, const RowShape& shape);

    /// Computes the rate of change in m2 of a spectrum with halos, and its derivative by the bin
    /// itself in 1/s, times `factor`.
    void evaluate(const Rows<Real>& waves, double factor, Rows<Real>& source,
                  Rows<Real>& derivative);

    [[nodiscard]] const InteractionGrid<Real>& grid() const noexcept { return grid_; }

private:
    InteractionGrid<Real> grid_;
    std::vector<Interaction<Real>> interactions_;
    /// Rows of two frequencies, and rows of the last frequencies.
    Rows<Real> now_;
    Rows<Real> ring_;
};

/// Returns the factor of water of finite depth.
[[nodiscard]] double shallow_factor(double mean_wave_number, double depth);

extern template class Dia<float>;
extern template class Dia<double>;

}  // namespace tradewind::fvwam

/// The kernels of the interactions of four waves.
///
///     find_partners     F+ and F- of a frequency, between frequencies
///     compute_rates     A and its derivatives, for both mirror images
///     spread_rates      the same, brought to the directions of the partners
///     gather            a frequency receives from itself and from those of which it is a partner
#pragma once

#include "tradewind/models/fvwam/sources/dia.hpp"

namespace tradewind::fvwam {

/// L of the interactions.
inline constexpr double frequency_shift = 0.25;

/// Rows of the frequency that acts: F+ and F-, and of both mirror images the rate A and its
/// derivatives by F+ and F-.
enum NowRow : std::uint8_t {
    plus_row,
    minus_row,
    rate_row,
    by_plus_row = 4,
    by_minus_row = 6,
    now_rows = 8
};
/// Rows that a frequency keeps for the bins it acts on: the sums over mirror images for itself and
/// its partners, and the derivatives.
enum RingRow : std::uint8_t {
    own_row,
    own_by_row,
    up_row,
    up_by_row,
    down_row,
    down_by_row,
    ring_rows
};

/// The arguments of the kernels. Pointers are direction 0 of the first row.
template <class Real>
struct InteractionArguments {
    const RowShape& shape;
    const InteractionGrid<Real>& grid;
    const std::vector<Interaction<Real>>& interactions;
    Real factor;
    const Real* waves;
    Real* now;
    Real* ring;
    Real* source;
    Real* derivative;
};

/// Computes the rates of change of all bins, and their derivatives.
void compute_interactions(const InteractionArguments<float>& arguments);
void compute_interactions(const InteractionArguments<double>& arguments);

}  // namespace tradewind::fvwam

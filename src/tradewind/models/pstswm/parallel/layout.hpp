/// ArrayLayout: the part of every array that one rank holds.
///
///     grid        own longitudes, own latitudes, all lanes       [pair][side][lon][lane]
///     lines       all longitudes, own latitudes, some lanes      [pair][side][lon][lane]
///     waves       all wavenumbers, own latitudes, some lanes     [m][pair][side][re, im][lane]
///     fourier     own wavenumbers, own latitudes, all lanes      [m][pair][side][re, im][lane]
///     legendre    own wavenumbers, all latitudes, own levels     [m][pair][side][re, im][lane]
///     spectrum    own wavenumbers, own levels                    [m][n - m][re, im][lane]
///
/// A lane is one level of one field, lane = field * levels + level. Ranks of a row of the mesh
/// share latitudes. They exchange between grid and lines, and between waves and fourier (the double
/// transpose of worley1998). Ranks of a column share wavenumbers. They exchange between fourier and
/// legendre, or keep `fourier` and sum. The sum is over all levels at once, or block by block on a
/// ring, where `legendre` is the part of `fourier` with the levels of a block.
#pragma once

#include "tradewind/models/pstswm/plan.hpp"
#include "tradewind/models/spectral/legendre.hpp"

namespace tradewind::pstswm {

/// Fields of the inverse transform: vorticity, geopotential, and the wind times cos(theta).
/// PSTSWM's fields include divergence.
enum InverseField : std::uint8_t { vorticity, geopotential, wind_u, wind_v, divergence };

/// The shapes of all exchanges for a number of fields.
struct Shapes {
    std::int64_t fields;
    ExchangeShape grid;
    ExchangeShape fourier;
    ExchangeShape legendre;
};

class ArrayLayout {
public:
    ArrayLayout(const ShallowWaterPlan& plan, Rank rank);

    [[nodiscard]] const ShallowWaterPlan& plan() const noexcept { return plan_; }
    [[nodiscard]] Rank column() const noexcept { return column_; }
    [[nodiscard]] Rank row() const noexcept { return row_; }
    [[nodiscard]] const Distribution& waves() const noexcept { return waves_; }
    [[nodiscard]] const Distribution& pairs() const noexcept { return pairs_; }
    [[nodiscard]] const Distribution& longitudes() const noexcept { return longitudes_; }
    [[nodiscard]] std::int64_t own_waves() const noexcept { return waves_.size(column_); }
    [[nodiscard]] std::int64_t own_pairs() const noexcept { return pairs_.size(row_); }
    [[nodiscard]] std::int64_t own_longitudes() const noexcept { return longitudes_.size(column_); }
    /// Returns the number of levels whose coefficients the rank holds.
    [[nodiscard]] std::int64_t own_levels() const noexcept {
        return plan_.legendre == LegendreMethod::sum ? plan_.levels : levels_.size(row_);
    }
    [[nodiscard]] bool is_transposed() const noexcept {
        return plan_.legendre == LegendreMethod::transpose;
    }
    [[nodiscard]] const Partition& levels() const noexcept { return levels_; }
    /// Returns the pairs of latitudes in the rank's Legendre transforms.
    [[nodiscard]] spectral::LatitudePairs legendre_pairs() const noexcept;
    /// Returns the number of coefficients (m, n <= M) of the rank's wavenumbers.
    [[nodiscard]] std::int64_t coefficients() const noexcept;
    /// Returns the latitude, counted from the north, of local line 2 * pair + side.
    [[nodiscard]] std::int64_t latitude(std::int64_t line) const noexcept;
    [[nodiscard]] Shapes shapes(std::int64_t fields) const;

    /// Returns the cost of a Legendre transform for `compute`.
    [[nodiscard]] Work legendre_work(std::int64_t fields, std::int64_t levels) const;
    /// Returns the cost of Fourier transforms.
    [[nodiscard]] Work fft_work(std::int64_t fields) const;
    [[nodiscard]] Work product_work(std::int64_t fields) const;
    [[nodiscard]] Work spectral_work() const;

private:
    const ShallowWaterPlan& plan_;
    Rank column_;
    Rank row_;
    Distribution waves_;
    Distribution pairs_;
    Distribution longitudes_;
    Partition levels_;
};

}  // namespace tradewind::pstswm

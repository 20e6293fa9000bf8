/// Legendre transforms of some zonal wavenumbers at some pairs of latitudes, for many lanes at
/// once.
///
/// P_n^m is normalised so that the integral of its square over mu in [-1, 1] is 1. The transforms
/// use one degree more than the truncation M (n = m..M+1), which the winds need. No table of
/// H_n^m = (1 - mu^2) dP_n^m/dmu is then needed, see `Recurrence`.
///
/// North-south symmetry: P_n^m is even in mu for even n - m, else odd. With X_n the coefficients,
///
///     inverse     E = sum over even n - m of X_n P_n,  O = the same over odd ones
///                 north = E + O,  south = E - O
///     forward     E = w (north + south),  O = w (north - south)
///                 X_n = sum over pairs of P_n E (even n - m) or P_n O (odd)
///
/// Both are products of a small matrix with a long one of lanes. Sums run in one fixed order.
#pragma once

#include <span>

#include "tradewind/models/spectral/gauss.hpp"
#include "tradewind/models/spectral/lanes.hpp"

namespace tradewind::spectral {

/// Returns eps_n^m = sqrt((n^2 - m^2) / (4 n^2 - 1)) of the recurrences
///     mu P_n^m = eps_{n+1}^m P_{n+1}^m + eps_n^m P_{n-1}^m
///     H_n^m    = (n + 1) eps_n^m P_{n-1}^m - n eps_{n+1}^m P_{n+1}^m
[[nodiscard]] double epsilon(std::int64_t n, std::int64_t m) noexcept;

/// Returns P_n^m(mu) for n = m .. last.
[[nodiscard]] std::vector<double> legendre_functions(std::int64_t m, std::int64_t last, double mu);

/// Latitudes j and their mirror images, for j = first .. first + count - 1 counted from the north.
struct LatitudePairs {
    std::int64_t first = 0;
    std::int64_t count = 0;
};

/// The tables for the wavenumbers `waves` (any of 0..truncation).
class LegendreTransform {
public:
    LegendreTransform() = default;
    LegendreTransform(std::int64_t truncation, const GaussNodes& nodes, LatitudePairs pairs,
                      std::vector<std::int64_t> waves);

    [[nodiscard]] std::span<const std::int64_t> waves() const noexcept { return waves_; }
    /// Returns the degrees of wave number i of the list, M + 2 - m.
    [[nodiscard]] std::int64_t degrees(std::size_t i) const noexcept {
        return truncation_ + 2 - waves_[i];
    }
    /// Returns the position of the rows of wave number i in `spectrum`, counted in degrees; `i` may
    /// be the number of waves.
    [[nodiscard]] std::int64_t first_row(std::size_t i) const noexcept { return first_row_[i]; }

    /// Transforms spectrum [wave][n - m][column] to fourier [wave][pair][north, south][column]. A
    /// column is a Lanes. Real and imaginary parts are columns like any other.
    void inverse(const Lanes* spectrum, Lanes* fourier, std::int64_t columns) const;
    /// Transforms fourier to spectrum with the Gaussian weights; fourier is not changed. In a group
    /// of ranks with different pairs the sum of all results is the transform.
    void forward(const Lanes* fourier, Lanes* spectrum, std::int64_t columns) const;

private:
    [[nodiscard]] const double* table(std::size_t i, int parity) const noexcept {
        return values_.data() + start_[2 * i + std::size_t(parity)];
    }
    [[nodiscard]] std::int64_t rows(std::size_t i, int parity) const noexcept {
        return (degrees(i) + 1 - parity) / 2;
    }

    std::int64_t truncation_ = 0;
    std::int64_t pairs_ = 0;
    std::vector<std::int64_t> waves_;
    std::vector<std::int64_t> first_row_;
    std::vector<double> weight_;
    /// Values of the functions, [wave][parity][row][pair].
    std::vector<double> values_;
    std::vector<std::size_t> start_;
};

}  // namespace tradewind::spectral

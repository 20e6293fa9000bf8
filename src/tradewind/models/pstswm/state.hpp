/// State: the coefficients of one rank, and the arithmetic between them.
#pragma once

#include <span>

#include "tradewind/models/pstswm/parallel/layout.hpp"

namespace tradewind::pstswm {

/// Coefficients of vorticity, divergence and geopotential less its mean, each [coefficient][re,
/// im][level] for the rank's wavenumbers (n = m..M) and levels.
struct State {
    std::vector<double> vorticity;
    std::vector<double> divergence;
    std::vector<double> geopotential;
};

/// Returns the three fields in sequence, as one message.
[[nodiscard]] std::vector<double> packed(const State& state);
/// Returns the state of a message.
[[nodiscard]] State unpacked(const std::vector<double>& numbers);

/// Explicit tendencies of the three, [coefficient][re, im][field][level]. They are one array
/// because the ranks of a column add them up.
using Tendencies = std::vector<double>;

/// Fields of the forward transform: the fluxes (U, V) eta and (U, V) Phi', the energy E + Phi_s,
/// and the forcing of Phi in forced cases. PSTSWM's old time level follows them.
enum ForwardField : std::uint8_t { flux_u, flux_v, mass_flux_u, mass_flux_v, energy, source };

/// A coefficient (m, n) and the factors of its recurrence.
struct SpectralCoefficient {
    std::int64_t m;
    std::int64_t n;
    /// The row of (m, n) in spectra that go to n = M + 1.
    std::int64_t row;
    double lower;  // (n + 1) eps_n^m
    double upper;  // n eps_{n+1}^m
};

class SpectralArithmetic {
public:
    SpectralArithmetic() = default;
    SpectralArithmetic(const ShallowWaterPlan& plan, std::int64_t levels,
                       std::span<const std::int64_t> waves);

    [[nodiscard]] State zero_state() const;
    /// Computes the coefficients of the inverse fields, [m][n - m][re, im][lane], n = m..M+1.
    void synthesis(const State& state, spectral::LaneVector& spectrum) const;
    /// Computes the time derivatives of the three from the forward fields. At the start, with
    /// flux_u = -V, flux_v = U and energy = Phi, it computes the three themselves. `fields` is the
    /// number of forward fields.
    void analysis(const spectral::LaneVector& spectrum, std::int64_t fields, bool is_start,
                  Tendencies& result) const;
    /// Returns the state from an analysis at the start.
    void start(const Tendencies& analysed, State& state) const;

    /// Makes one step over `interval` from `before`, with the tendencies of `now`. `before` becomes
    /// the new state, and in a leap `now` is filtered. `ground` holds the coefficients of Phi_s.
    void advance(const Tendencies& tendency, double interval, bool is_leap,
                 std::span<const double> ground, State& now, State& before) const;

private:
    /// Returns the position of number (re, im) of coefficient c in a field of a state.
    [[nodiscard]] std::size_t at(std::size_t c, int part) const noexcept {
        return (2 * c + std::size_t(part)) * levels_;
    }
    void synthesis_row(const State& state, std::size_t first, std::int64_t m, std::int64_t n,
                       double* row, std::int64_t part_step) const;
    void diffuse(double interval, std::span<const double> ground, State& state) const;
    void filter(const State& old, const State& after, State& now) const;

    const ShallowWaterPlan* plan_ = nullptr;
    std::size_t levels_ = 0;
    std::vector<std::int64_t> waves_;
    std::vector<SpectralCoefficient> coefficients_;
};

}  // namespace tradewind::pstswm

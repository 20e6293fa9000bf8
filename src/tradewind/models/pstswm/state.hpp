/// State: the coefficients of one rank, and the arithmetic between them.
#pragma once

#include <span>

#include "tradewind/models/pstswm/parallel/layout.hpp"

namespace tradewind::pstswm {

/// Coefficients of vorticity, divergence and geopotential less its mean, each
/// [coefficient][re, im][level] for the rank's wavenumbers (n = m..M) and levels.
struct State {
    std::vector<double> vorticity;
    std::vector<double> divergence;
    std::vector<double> geopotential;
};

/// The three fields one after another, as one message; and back.
[[nodiscard]] std::vector<double> packed(const State& state);
[[nodiscard]] State unpacked(const std::vector<double>& numbers);

/// Explicit tendencies of the three, [coefficient][re, im][field][level]: one array, because it is
/// what the ranks of a column add up.
using Tendencies = std::vector<double>;

/// Fields of the forward transform: the fluxes (U, V) eta and (U, V) Phi', the energy E + Phi_s,
/// and in forced cases what forces Phi. PSTSWM's old time level follows them.
enum ForwardField : std::uint8_t { flux_u, flux_v, mass_flux_u, mass_flux_v, energy, source };

class SpectralArithmetic {
public:
    SpectralArithmetic() = default;
    SpectralArithmetic(const Plan& plan, std::int64_t levels, std::span<const std::int64_t> waves);

    [[nodiscard]] State zero_state() const;
    /// Coefficients of the inverse fields, [m][n - m][re, im][lane], n = m..M+1.
    void synthesis(const State& state, spectral::LaneVector& spectrum) const;
    /// What the forward fields give: d/dt of the three; at the start, with flux_u = -V, flux_v = U
    /// and energy = Phi, the three themselves. `fields` is their number.
    void analysis(const spectral::LaneVector& spectrum, std::int64_t fields, bool is_start,
                  Tendencies& result) const;
    /// The state from an analysis at the start.
    void start(const Tendencies& analysed, State& state) const;

    /// One step over `interval` from `before`, with the tendencies of `now`: `before` becomes the
    /// new state, and in a leap `now` is filtered. `ground` holds the coefficients of Phi_s.
    void advance(const Tendencies& tendency, double interval, bool is_leap,
                 std::span<const double> ground, State& now, State& before) const;

private:
    struct Coefficient {
        std::int64_t m;
        std::int64_t n;
        /// Row of (m, n) in spectra that go to n = M + 1.
        std::int64_t row;
        double lower;  // (n + 1) eps_n^m
        double upper;  // n eps_{n+1}^m
    };
    class Rows;

    /// Where number (re, im) of coefficient c begins in a field of a state.
    [[nodiscard]] std::size_t at(std::size_t c, int part) const noexcept {
        return (2 * c + std::size_t(part)) * levels_;
    }
    void synthesis_row(const State& state, std::size_t first, std::int64_t m, std::int64_t n,
                       double* row, std::int64_t part_step) const;
    void diffuse(double interval, std::span<const double> ground, State& state) const;
    void filter(const State& old, const State& after, State& now) const;

    const Plan* plan_ = nullptr;
    std::size_t levels_ = 0;
    std::vector<std::int64_t> waves_;
    std::vector<Coefficient> coefficients_;
};

}  // namespace tradewind::pstswm

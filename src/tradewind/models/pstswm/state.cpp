/// Winds from vorticity and divergence, tendencies from fluxes, and the time step.
#include "tradewind/models/pstswm/state.hpp"

#include <algorithm>

#include "tradewind/base/interrupts.hpp"

namespace tradewind::pstswm {

namespace {

using spectral::blocks_of;
using spectral::epsilon;
using spectral::lane_width;
using spectral::LaneVector;
using spectral::numbers;

enum Quantity : std::uint8_t { of_vorticity, of_divergence, of_geopotential, quantities };

/// Returns c_n = n (n + 1) / a^2, minus the eigenvalue of the Laplacian.
[[nodiscard]] double eigenvalue(std::int64_t n) noexcept {
    return double(n * (n + 1)) / (radius * radius);
}

/// A spectrum with rows up to n = M + 1.
class SpectrumRows {
public:
    SpectrumRows(const LaneVector& spectrum, std::int64_t fields, std::size_t levels)
        : data_(numbers(spectrum.data())),
          part_(blocks_of(fields * std::int64_t(levels)) * lane_width),
          levels_(levels) {}

    [[nodiscard]] const double* levels(std::int64_t row, int part, std::int64_t field) const {
        return data_ + (2 * row + part) * part_ + field * std::int64_t(levels_);
    }

    /// One factor of a flux: a field and its coefficient.
    struct Term {
        std::int64_t field;
        double factor;
    };
    /// Adds { i m A P - B H }_n, the divergence of the flux (A, B), to `out`; part 0 or 1 of it.
    void add_divergence(const SpectralCoefficient& at, int part, Term a, Term b,
                        double* out) const {
        const double* const along = levels(at.row, 1 - part, a.field);
        const double* const below = levels(at.row - (at.n > at.m ? 1 : 0), part, b.field);
        const double* const above = levels(at.row + 1, part, b.field);
        const double wave = a.factor * (part == 0 ? -double(at.m) : double(at.m));
        const double lower = b.factor * at.lower;
        const double upper = b.factor * at.upper;
        for (std::size_t k = 0; k < levels_; ++k)
            out[k] += wave * along[k] - lower * below[k] + upper * above[k];
    }

private:
    const double* data_;
    std::int64_t part_;
    std::size_t levels_;
};

}  // namespace

std::vector<double> packed(const State& state) {
    std::vector<double> numbers = state.vorticity;
    numbers.insert(numbers.end(), state.divergence.begin(), state.divergence.end());
    numbers.insert(numbers.end(), state.geopotential.begin(), state.geopotential.end());
    return numbers;
}

State unpacked(const std::vector<double>& numbers) {
    const auto third = std::ptrdiff_t(numbers.size() / 3);
    const auto begin = numbers.begin();
    return {{begin, begin + third},
            {begin + third, begin + 2 * third},
            {begin + 2 * third, numbers.end()}};
}

SpectralArithmetic::SpectralArithmetic(const ShallowWaterPlan& plan, std::int64_t levels,
                                       std::span<const std::int64_t> waves)
    : plan_(&plan), levels_(std::size_t(levels)), waves_(waves.begin(), waves.end()) {
    std::int64_t row = 0;
    for (const std::int64_t m : waves_) {
        for (std::int64_t n = m; n <= plan_->truncation; ++n) {
            coefficients_.push_back(
                {m, n, row++, double(n + 1) * epsilon(n, m), double(n) * epsilon(n + 1, m)});
        }
        ++row;
    }
}

State SpectralArithmetic::zero_state() const {
    const std::vector<double> field(2 * coefficients_.size() * levels_, 0.0);
    return {field, field, field};
}

void SpectralArithmetic::synthesis(const State& state, LaneVector& spectrum) const {
    const std::int64_t part_step =
        blocks_of(plan_->inverse_fields() * std::int64_t(levels_)) * lane_width;
    double* row = numbers(spectrum.data());
    std::size_t first = 0;
    for (const std::int64_t m : waves_) {
        for (std::int64_t n = m; n <= plan_->truncation + 1; ++n) {
            synthesis_row(state, first, m, n, row, part_step);
            row += 2 * part_step;
        }
        first += std::size_t(plan_->truncation + 1 - m);
    }
}

/// Computes the winds, which are sums of multiples of zeta and delta, sorted by the degree of P:
///     U_n = -i m a / (n (n+1)) delta_n + a eps_{n+1} / (n+1) zeta_{n+1} - a eps_n / n zeta_{n-1}
///     V_n = -i m a / (n (n+1)) zeta_n  - a eps_{n+1} / (n+1) delta_{n+1} + a eps_n / n delta_{n-1}
/// `first` is the coefficient n = m.
void SpectralArithmetic::synthesis_row(const State& state, std::size_t first, std::int64_t m,
                                       std::int64_t n, double* row, std::int64_t part_step) const {
    const std::int64_t last = plan_->truncation;
    const auto order = double(n);
    const double wave = n >= 1 && n <= last ? double(m) * radius / (order * (order + 1)) : 0.0;
    const double upper = n < last ? radius * epsilon(n + 1, m) / (order + 1) : 0.0;
    const double lower =
        n - 1 >= std::max<std::int64_t>(m, 1) ? radius * epsilon(n, m) / order : 0.0;
    const auto clamped = [&](std::int64_t degree) {
        return first + std::size_t(std::clamp(degree, m, last) - m);
    };
    const double exists = n <= last ? 1.0 : 0.0;
    for (const int part : {0, 1}) {
        double* const out = row + part * part_step;
        const double turn = part == 0 ? wave : -wave;
        const std::size_t here = at(clamped(n), part);
        const std::size_t other = at(clamped(n), 1 - part);
        const std::size_t above = at(clamped(n + 1), part);
        const std::size_t below = at(clamped(n - 1), part);
        const double* const zeta = state.vorticity.data();
        const double* const delta = state.divergence.data();
        for (std::size_t k = 0; k < levels_; ++k) {
            out[vorticity * levels_ + k] = exists * zeta[here + k];
            out[geopotential * levels_ + k] = exists * state.geopotential[here + k];
            out[wind_u * levels_ + k] =
                turn * delta[other + k] + upper * zeta[above + k] - lower * zeta[below + k];
            out[wind_v * levels_ + k] =
                turn * zeta[other + k] - upper * delta[above + k] + lower * delta[below + k];
        }
        if (!plan_->has_old_level()) continue;
        for (std::size_t k = 0; k < levels_; ++k)
            out[divergence * levels_ + k] = exists * delta[here + k];
    }
}

void SpectralArithmetic::analysis(const LaneVector& spectrum, std::int64_t fields, bool is_start,
                                  Tendencies& result) const {
    const SpectrumRows rows(spectrum, fields, levels_);
    const bool is_forced = plan_->test_case->is_forced();
    result.assign(2 * coefficients_.size() * quantities * levels_, 0.0);
    double* out = result.data();
    for (const SpectralCoefficient& at : coefficients_) {
        check_interrupts(std::int64_t(levels_));
        for (const int part : {0, 1}) {
            double* const phi = out + of_geopotential * levels_;
            rows.add_divergence(at, part, {flux_u, -1}, {flux_v, -1}, out + of_vorticity * levels_);
            rows.add_divergence(at, part, {flux_v, 1}, {flux_u, -1}, out + of_divergence * levels_);
            const double* const potential = rows.levels(at.row, part, energy);
            const double laplacian = eigenvalue(at.n);
            for (std::size_t k = 0; k < levels_; ++k) {
                if (is_start) {
                    phi[k] = potential[k];
                } else {
                    out[of_divergence * levels_ + k] += laplacian * potential[k];
                }
            }
            if (!is_start) rows.add_divergence(at, part, {mass_flux_u, -1}, {mass_flux_v, -1}, phi);
            for (std::size_t k = 0; is_forced && !is_start && k < levels_; ++k)
                phi[k] += rows.levels(at.row, part, source)[k];
            out += quantities * levels_;
        }
    }
}

void SpectralArithmetic::start(const Tendencies& analysed, State& state) const {
    for (std::size_t row = 0; row < 2 * coefficients_.size(); ++row) {
        check_interrupts(std::int64_t(levels_));
        for (std::size_t k = 0; k < levels_; ++k) {
            const double* const from = analysed.data() + row * quantities * levels_ + k;
            state.vorticity[row * levels_ + k] = from[of_vorticity * levels_];
            state.divergence[row * levels_ + k] = from[of_divergence * levels_];
            state.geopotential[row * levels_ + k] = from[of_geopotential * levels_];
        }
    }
}

/// Advances as in the technical note of STSWM; T is the interval and h = T / 2:
///     delta+ = [ delta- + T D + h c_n (2 Phi- + T P - h Phi_bar delta-) ] / (1 + h^2 Phi_bar c_n)
///     Phi+   = Phi- + T P - h Phi_bar (delta+ + delta-)
void SpectralArithmetic::advance(const Tendencies& tendency, double interval, bool is_leap,
                                 std::span<const double> ground, State& now, State& before) const {
    const bool moves_wind = !plan_->test_case->wind_is_given();
    const double half = 0.5 * interval;
    const double mean = plan_->mean_geopotential;
    const bool filters = is_leap && plan_->asselin > 0;
    const State old = filters ? before : State{};
    for (std::size_t row = 0; row < 2 * coefficients_.size(); ++row) {
        check_interrupts(std::int64_t(levels_));
        const double c = eigenvalue(coefficients_[row / 2].n);
        const double solve = 1 / (1 + half * half * mean * c);
        for (std::size_t k = 0; k < levels_; ++k) {
            const std::size_t i = row * levels_ + k;
            const double* const rate = tendency.data() + row * quantities * levels_ + k;
            const double p = rate[of_geopotential * levels_];
            double& phi = before.geopotential[i];
            if (!moves_wind) {
                phi += interval * p;
                continue;
            }
            const double d = rate[of_divergence * levels_];
            double& delta = before.divergence[i];
            before.vorticity[i] += interval * rate[of_vorticity * levels_];
            if (plan_->semi_implicit) {
                const double was = delta;
                delta =
                    (was + interval * d + half * c * (2 * phi + interval * p - half * mean * was)) *
                    solve;
                phi += interval * p - half * mean * (delta + was);
            } else {
                delta += interval * (d + c * now.geopotential[i]);
                phi += interval * (p - mean * now.divergence[i]);
            }
        }
    }
    if (plan_->diffusion > 0) diffuse(interval, ground, before);
    if (filters) filter(old, before, now);
}

/// Diffuses implicitly. Vorticity and divergence are divided by 1 + T K4 (c_n^2 - 4 / a^4), which
/// leaves solid-body rotation unchanged, and the geopotential of the surface by 1 + T K4 c_n^2.
void SpectralArithmetic::diffuse(double interval, std::span<const double> ground,
                                 State& state) const {
    const double strength = interval * plan_->diffusion;
    for (std::size_t row = 0; row < 2 * coefficients_.size(); ++row) {
        check_interrupts(std::int64_t(levels_));
        const std::int64_t n = coefficients_[row / 2].n;
        const double square = eigenvalue(n) * eigenvalue(n);
        const double solid = eigenvalue(1) * eigenvalue(1);
        const double for_wind = n == 0 ? 1.0 : 1 / (1 + strength * (square - solid));
        const double for_mass = 1 / (1 + strength * square);
        for (std::size_t i = row * levels_; i < (row + 1) * levels_; ++i) {
            state.vorticity[i] *= for_wind;
            state.divergence[i] *= for_wind;
            state.geopotential[i] = (state.geopotential[i] + ground[i]) * for_mass - ground[i];
        }
    }
}

/// Applies the filter of Robert and Asselin: now += AFC (before - 2 now + after).
void SpectralArithmetic::filter(const State& old, const State& after, State& now) const {
    const double strength = plan_->asselin;
    const auto field = [&](std::vector<double> State::* which) {
        for (std::size_t i = 0; i < (now.*which).size(); ++i) {
            double& value = (now.*which)[i];
            value += strength * ((old.*which)[i] - 2 * value + (after.*which)[i]);
        }
    };
    field(&State::vorticity);
    field(&State::divergence);
    field(&State::geopotential);
}

}  // namespace tradewind::pstswm

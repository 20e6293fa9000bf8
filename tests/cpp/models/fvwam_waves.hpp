/// Cells of the sea for tests and measurements of waves: one alone, and a row from a coast.
#pragma once

#include <cmath>
#include <numbers>
#include <vector>

#include "tradewind/models/fvwam/sources/initial_spectrum.hpp"
#include "tradewind/models/fvwam/sources/integrals.hpp"
#include "tradewind/models/fvwam/sources/source_terms.hpp"

namespace tradewind::fvwam {

/// The size of a spectrum.
struct SpectrumSize {
    std::int64_t directions;
    std::int64_t frequencies;
};

/// One cell with its spectrum, zero at first, and source terms of its own.
template <class Real>
struct WaveCell {
    WaveCell(const SpectrumSize& size, Physics physics, double step, double depth,
             double largest_drag = 1.0)
        : spectrum(size.directions, size.frequencies, size.frequencies > 30 ? 0.03715 : 0.042, 1.1),
          table(spectrum, 1.1),
          water(table.column(table.bin(depth))),
          source_terms(spectrum, physics, step, largest_drag),
          values(std::size_t(spectrum.size())) {}

    /// Sets the spectrum of a wind and 30 km, times a factor.
    void set_jonswap(const Wind& wind, double factor) {
        fvwam::set_jonswap(spectrum, wind, default_fetch, values.data());
        for (Real& value : values) value *= Real(factor);
    }
    void advance(const Wind& wind) { source_terms.advance(values.data(), water, wind, roughness); }
    [[nodiscard]] SeaState state() const { return sea_state(spectrum, values.data()); }

    SpectralGrid spectrum;
    DepthTable<Real> table;
    WaterColumn<Real> water;
    SourceTerms<Real> source_terms;
    Roughness<Real> roughness;
    std::vector<Real> values;
};

/// The variance of a state in units of a velocity.
[[nodiscard]] inline double scaled_energy(const SeaState& state, double velocity) {
    const double deviation = state.significant_height / 4;
    return deviation * deviation * gravity * gravity / std::pow(velocity, 4);
}

/// A row of cells that get longer to the north. The wind blows from a coast in the south.
class Coast {
public:
    Coast(Physics physics, double speed, double step, double largest_drag = 1.0)
        : wind_{speed, 0.0}, step_(step), cell_({24, 35}, physics, step, 5000.0, largest_drag) {
        for (double length = 2000.0; end_ < 3e5; length *= 1.15) {
            lengths_.push_back(length);
            middles_.push_back(end_ + length / 2);
            end_ += length;
        }
        cell_.set_jonswap(wind_, 1.0);
        spectra_.assign(lengths_.size(), cell_.values);
        roughness_.resize(lengths_.size());
        const double fastest = gravity / (4 * std::numbers::pi * cell_.spectrum.frequency(0));
        parts_ = std::int64_t(std::ceil(step_ * fastest / lengths_.front()));
    }

    void run(double seconds) {
        for (double time = 0; time < seconds; time += step_) {
            for (std::int64_t i = 0; i < parts_; ++i) propagate(step_ / double(parts_));
            for (std::size_t i = 0; i < spectra_.size(); ++i)
                cell_.source_terms.advance(spectra_[i].data(), cell_.water, wind_, roughness_[i]);
        }
    }
    [[nodiscard]] std::size_t cells() const { return middles_.size(); }
    [[nodiscard]] double fetch(std::size_t i) const { return middles_[i]; }
    [[nodiscard]] double friction_velocity(std::size_t i) const {
        return double(roughness_[i].friction_velocity);
    }
    [[nodiscard]] SeaState state(std::size_t i) const {
        return sea_state(cell_.spectrum, spectra_[i].data());
    }

private:
    /// Moves waves by the upwind method. None come from the coast, nor through the other end.
    void propagate(double step) {
        const std::int64_t directions = cell_.spectrum.directions();
        const auto last = std::int64_t(spectra_.size()) - 1;
        for (std::int64_t n = 0; n < cell_.spectrum.size(); ++n) {
            const double speed = double(cell_.water.group_velocity[n / directions]) *
                                 cell_.spectrum.north(n % directions);
            const std::int64_t way = speed > 0 ? -1 : 1;
            for (std::int64_t i = speed > 0 ? last : 0; i >= 0 && i <= last; i += way) {
                const std::int64_t from = i + way;
                const float before = from >= 0 && from <= last ? value(from, n) : 0.0F;
                const double share = std::abs(speed) * step / lengths_[std::size_t(i)];
                value(i, n) += float(share) * (before - value(i, n));
            }
        }
    }
    float& value(std::int64_t cell, std::int64_t n) {
        return spectra_[std::size_t(cell)][std::size_t(n)];
    }

    Wind wind_;
    double step_;
    WaveCell<float> cell_;
    double end_ = 0.0;
    std::int64_t parts_ = 1;
    std::vector<double> lengths_;
    std::vector<double> middles_;
    std::vector<std::vector<float>> spectra_;
    std::vector<Roughness<float>> roughness_;
};

/// The growth curve of KC92 (kahma1992), composite of stable and unstable stratification, in units
/// of g and a velocity: E = energy X^0.9, omega_p = frequency X^-0.27.
struct FetchCurve {
    double energy;
    double frequency;
};
inline constexpr FetchCurve kc92_by_wind = {5.2e-7, 13.7};
inline constexpr FetchCurve kc92_by_friction = {6.5e-4, 3.08};

/// The ratios of height and peak frequency to those of KC92.
struct CurveRatios {
    double height;
    double frequency;
};
[[nodiscard]] inline CurveRatios beside_kc92(const SeaState& state, double fetch, double velocity,
                                             const FetchCurve& curve) {
    const double scaled = gravity * fetch / (velocity * velocity);
    const double energy = curve.energy * std::pow(scaled, 0.9);
    const double angular = curve.frequency * std::pow(scaled, -0.27);
    const double found = 2 * std::numbers::pi / state.peak_period * velocity / gravity;
    return {std::sqrt(scaled_energy(state, velocity) / energy), found / angular};
}

/// Returns the fetch that waves of the curve have after a time, if energy travels at the group
/// velocity of the peak: dX/dt = g / (2 omega_p), from `fetch` on.
[[nodiscard]] inline double fetch_after(double time, double fetch, double velocity,
                                        const FetchCurve& curve) {
    constexpr double power = 1 - 0.27;
    const double unit = velocity * velocity / gravity;
    const double scaled =
        std::pow(fetch / unit, power) + power / (2 * curve.frequency) * time * gravity / velocity;
    return unit * std::pow(scaled, 1 / power);
}

}  // namespace tradewind::fvwam

/// Growth of waves with time and with fetch, beside measured curves.
///
/// Source: kahma1992 (KC92), composite of stable and unstable stratification, in units of g and the
/// wind speed U at 10 m or the friction velocity:
///
///     E = 5.2e-7 X^0.9      omega_p = 13.7 X^-0.27        by U
///     E = 6.5e-4 X^0.9      omega_p = 3.08 X^-0.27        by u*
#include "fvwam_waves.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "testing.hpp"
#include "tradewind/models/fvwam/sources/air_flow.hpp"

using namespace tradewind;
using namespace tradewind::fvwam;

namespace {

constexpr double hour = 3600.0;

/// The variance of a state in units of a velocity.
double scaled_energy(const SeaState& state, double velocity) {
    const double deviation = state.significant_height / 4;
    return deviation * deviation * gravity * gravity / std::pow(velocity, 4);
}

/// Returns the scaled energy at the given hours, in increasing order.
template <class Real>
std::vector<double> energies(Physics physics, const Wind& wind, double step,
                             const std::vector<double>& hours) {
    WaveCell<Real> cell({24, 35}, physics, step, 5000.0);
    cell.set_jonswap(wind, 1.0);
    std::vector<double> found;
    double time = 0.0;
    for (const double end : hours) {
        for (; time < end * hour - 0.5 * step; time += step) cell.advance(wind);
        found.push_back(scaled_energy(cell.state(), wind.speed));
    }
    return found;
}

/// A row of cells that get longer to the north. The wind blows from a coast in the south.
class Coast {
public:
    Coast(Physics physics, double speed, double step)
        : wind_{speed, 0.0}, step_(step), cell_({24, 35}, physics, step, 5000.0) {
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

/// The ratios of height and peak frequency to those of KC92.
struct Ratios {
    double height;
    double frequency;
};
[[nodiscard]] Ratios beside_kc92(const SeaState& state, double fetch, double velocity,
                                 double energy_factor, double frequency_factor) {
    const double scaled = gravity * fetch / (velocity * velocity);
    const double energy = energy_factor * std::pow(scaled, 0.9);
    const double angular = frequency_factor * std::pow(scaled, -0.27);
    const double found = 2 * std::numbers::pi / state.peak_period * velocity / gravity;
    return {std::sqrt(scaled_energy(state, velocity) / energy), found / angular};
}
[[nodiscard]] Ratios by_friction(const Coast& coast, std::size_t i) {
    return beside_kc92(coast.state(i), coast.fetch(i), coast.friction_velocity(i), 6.5e-4, 3.08);
}
[[nodiscard]] Ratios by_wind(const Coast& coast, std::size_t i, double speed) {
    return beside_kc92(coast.state(i), coast.fetch(i), speed, 5.2e-7, 13.7);
}

}  // namespace

TEST_CASE("waves grow with time towards the limit of Pierson and Moskowitz") {
    constexpr double limit = 3.64e-3;
    const std::vector<double> hours = {0, 1, 2, 4, 8, 16, 24, 36, 48, 72};
    for (const Physics physics : {Physics::wam4, Physics::wam3}) {
        for (const double speed : {10.0, 20.0}) {
            const std::vector<double> found = energies<float>(physics, {speed, 0.3}, 600.0, hours);
            CAPTURE(int(physics), speed, found.back());
            CHECK(std::is_sorted(found.begin(), found.end()));
            CHECK(found.back() > 0.6 * limit);
            CHECK(found.back() < 1.45 * limit);
            // In the last day it grows by less than 12 %.
            CHECK(found.back() < 1.12 * found[8]);
        }
    }
}

TEST_CASE("growth by Snyder depends on the friction velocity as its scales do") {
    // Frequencies g/u*, times u*/g. With u* 1.1^4 times larger, waves are the same four bins lower.
    constexpr double ratio = 1.1 * 1.1 * 1.1 * 1.1;
    constexpr double slow = 10.0;
    const double wanted = ratio * simple_friction_velocity(slow);
    double fast = slow;
    for (double step = 4.0; step > 1e-12; step /= 2)
        if (simple_friction_velocity(fast + step) < wanted) fast += step;
    WaveCell<double> early({24, 35}, Physics::wam3, 300.0, 5000.0);
    WaveCell<double> later({24, 35}, Physics::wam3, 300.0 * ratio, 5000.0);
    early.set_jonswap({slow, 1.0}, 1.0);
    const auto shift = std::size_t(4 * 24);
    for (std::size_t n = 0; n < later.values.size(); ++n) {
        const bool is_tail = n + shift >= later.values.size();
        later.values[n] = is_tail ? later.values[n - 24] * std::pow(1.1, -5)
                                  : early.values[n + shift] * std::pow(ratio, 5);
    }
    for (int i = 1; i <= 600; ++i) {
        early.advance({slow, 1.0});
        later.advance({fast, 1.0});
        if (i % 60 != 0) continue;
        const double one = scaled_energy(early.state(), simple_friction_velocity(slow));
        const double other = scaled_energy(later.state(), wanted);
        CAPTURE(i, one, other);
        CHECK(std::abs(other / one - 1) < 0.01);
    }
}

TEST_CASE("the result after three days does not depend on the time step") {
    for (const Physics physics : {Physics::wam4, Physics::wam3}) {
        const double fine = energies<float>(physics, {15.0, 0.3}, 225.0, {72}).front();
        const double coarse = energies<float>(physics, {15.0, 0.3}, 900.0, {72}).front();
        CAPTURE(int(physics), fine, coarse);
        CHECK(std::abs(coarse / fine - 1) < 0.02);
    }
}

TEST_CASE("single and double precision give the same growth") {
    const double single = energies<float>(Physics::wam4, {20.0, 0.3}, 600.0, {24}).front();
    const double precise = energies<double>(Physics::wam4, {20.0, 0.3}, 600.0, {24}).front();
    CHECK(std::abs(single / precise - 1) < 1e-4);
}

TEST_CASE("growth with fetch of cycle 4 is on the KC92 curve by friction velocity") {
    // kahma1992
    for (const double speed : {10.0, 20.0}) {
        Coast coast(Physics::wam4, speed, 600.0);
        coast.run((speed < 15 ? 36 : 24) * hour);
        for (std::size_t i = 0; i < coast.cells(); ++i) {
            const double fetch = coast.fetch(i);
            if (fetch < 10e3 || fetch > 100e3 * (speed / 10)) continue;
            const Ratios ratios = by_friction(coast, i);
            CAPTURE(speed, fetch, ratios.height, ratios.frequency);
            CHECK(std::abs(ratios.height - 1) < 0.2);
            CHECK(std::abs(ratios.frequency - 1) < 0.12);
        }
    }
}

TEST_CASE("growth with fetch of both cycles is near the KC92 curve by wind speed at 10 m/s") {
    // kahma1992
    for (const Physics physics : {Physics::wam4, Physics::wam3}) {
        Coast coast(physics, 10.0, 600.0);
        coast.run(36 * hour);
        for (std::size_t i = 0; i < coast.cells(); ++i) {
            if (coast.fetch(i) < 20e3 || coast.fetch(i) > 100e3) continue;
            const Ratios ratios = by_wind(coast, i, 10.0);
            CAPTURE(int(physics), coast.fetch(i), ratios.height, ratios.frequency);
            CHECK(std::abs(ratios.height - 1) < 0.3);
            CHECK(std::abs(ratios.frequency - 1) < 0.15);
        }
    }
}

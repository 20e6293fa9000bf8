/// The largest steps for which the time stepping of the spectral-element core is stable.
#pragma once

#include <cstdint>

#include "tradewind/models/homme/mesh/gauss_lobatto.hpp"

namespace tradewind::homme {

/// The largest eigenvalues of the assembled operators in one direction, on elements of length 2.
struct Spectrum {
    double derivative;
    double laplacian;
};
[[nodiscard]] Spectrum spectrum_of(const GaussLobatto& rule);

/// Returns the largest norm of the map from distances in metres to reference coordinates.
[[nodiscard]] double finest_spacing(std::int64_t ne, const GaussLobatto& rule, double radius);

/// The spacing of a mesh and the speed of the fastest waves on it.
struct WaveLimits {
    /// The result of finest_spacing, in 1/m.
    double finest;
    double speed;  // m/s
};

/// The speed of external gravity waves of the primitive equations, in m/s.
inline constexpr double external_wave = 342.0;

/// The limits of one resolution.
struct StableSteps {
    /// The longest step in s of the five-stage Runge-Kutta method, for the fastest waves.
    double runge_kutta;
    /// The longest step in s of forward Euler steps of hyperviscosity; infinite without it.
    double viscosity;
};
[[nodiscard]] StableSteps stable_steps(const WaveLimits& waves, const GaussLobatto& rule,
                                       double hyperviscosity);

/// The same for the discontinuous Galerkin core, with the wave speed of its fluxes and viscosity in
/// m2/s.
[[nodiscard]] StableSteps stable_dg_steps(const WaveLimits& waves, double wave_speed,
                                          double viscosity);

}  // namespace tradewind::homme

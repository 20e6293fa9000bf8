/// CoreSnapshot: what a run shows of an output time, gathered on rank 0.
#pragma once

#include <array>
#include <vector>

#include "tradewind/comm/comm.hpp"
#include "tradewind/models/homme/core.hpp"

namespace tradewind::homme {

/// The shown fields: surface pressure in hPa, and at 850 hPa temperature in K, wind in m/s and
/// vorticity in 1/s.
enum CoreField : std::uint8_t {
    surface_pressure,
    temperature_850,
    east_850,
    north_850,
    vorticity_850
};
inline constexpr std::size_t shown_count = 5;

/// Sums over the mass of the elements, and extremes over their points.
struct CoreDiagnostics {
    double mean_pressure = 0.0;    // Pa
    double lowest_pressure = 0.0;  // Pa
    double highest_pressure = 0.0;
    double lowest_longitude = 0.0;  // degrees
    double lowest_latitude = 0.0;
    double kinetic_energy = 0.0;  // J/m2
    double total_energy = 0.0;
    double fastest_wind = 0.0;  // m/s
};

/// One output time; complete on rank 0.
struct CoreSnapshot {
    /// The fields on the latitude-longitude grid, [latitude from the south][longitude].
    std::array<std::vector<double>, shown_count> fields;
    CoreDiagnostics diagnostics;
};

/// Gathers the state on rank 0. All sums are in the order of the elements, so that they are the
/// same on any number of ranks.
Task take_snapshot(Comm& comm, const Core& core, CoreSnapshot& snapshot);

}  // namespace tradewind::homme

/// CoreSnapshot: what a run shows of an output time, gathered on rank 0.
#pragma once

#include <optional>
#include <vector>

#include "tradewind/comm/comm.hpp"
#include "tradewind/models/homme/core.hpp"
#include "tradewind/models/williamson/flow_errors.hpp"

namespace tradewind::homme {

/// The shown fields of the primitive equations: surface pressure in hPa, and at 850 hPa temperature
/// in K, wind in m/s and vorticity in 1/s.
enum CoreField : std::uint8_t {
    surface_pressure,
    temperature_850,
    east_850,
    north_850,
    vorticity_850
};
/// The shown fields of the first layer of shallow water, in m, m/s and 1/s.
enum LayerField : std::uint8_t { layer_depth, layer_east, layer_north, layer_vorticity };

/// Returns the number of shown fields.
[[nodiscard]] inline std::size_t shown_fields(const HommePlan& plan) {
    return plan.shallow_water ? 4 : 5;
}

/// Means over the sphere, and extremes over the points of the elements. `mean`, `lowest` and
/// `highest` are those of the surface pressure in Pa, or of the depth of shallow water in m.
struct CoreDiagnostics {
    double mean = 0.0;
    double lowest = 0.0;
    double highest = 0.0;
    double lowest_longitude = 0.0;  // degrees
    double lowest_latitude = 0.0;
    /// The energies in J/m2; of shallow water, divided by the density, in m3/s2.
    double kinetic_energy = 0.0;
    double total_energy = 0.0;
    double fastest_wind = 0.0;  // m/s
    /// The potential enstrophy of shallow water in 1/(m s2).
    double potential_enstrophy = 0.0;
    /// The errors, if the case has a solution.
    std::optional<williamson::FlowErrors> errors;
};

/// One output time; complete on rank 0.
struct CoreSnapshot {
    /// The shown fields on the latitude-longitude grid, [latitude from the south][longitude]; with
    /// the primitive equations the zonal means of the eastward wind in m/s and of the temperature
    /// in K, [level][latitude]; and if the plan says so, the shown fields at the points of the
    /// elements, [element][point].
    std::vector<std::vector<double>> fields;
    CoreDiagnostics diagnostics;
};

/// Gathers the state on rank 0. All sums are in the order of the elements, so that they are the
/// same on any number of ranks. `time` is that of the model, in s.
Task take_snapshot(Comm& comm, const Core& core, double time, CoreSnapshot& snapshot);

}  // namespace tradewind::homme

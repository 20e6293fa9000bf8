/// WaveSnapshot: what a run shows of an output time, gathered on rank 0.
#pragma once

#include <vector>

#include "tradewind/models/fvwam/core.hpp"

namespace tradewind::fvwam {

/// The shown fields: heights in m, periods in s, directions and spread in degrees, wind in m/s.
enum WaveField : std::uint8_t {
    significant_height,
    mean_period,
    zero_crossing_period,
    peak_period,
    mean_direction,
    directional_spread,
    wind_east,
    wind_north,
    wave_field_count
};

/// Means over the area of the sea, and extremes.
struct WaveDiagnostics {
    double mean_height = 0.0;        // m
    double highest = 0.0;            // m
    double highest_longitude = 0.0;  // degrees
    double highest_latitude = 0.0;
    /// The energy per area in m2, the centre of all energy in degrees, and its direction there in
    /// degrees, clockwise from north.
    double energy = 0.0;
    double energy_longitude = 0.0;
    double energy_latitude = 0.0;
    double energy_direction = 0.0;
    double fastest_wind = 0.0;  // m/s
};

/// One output time; complete on rank 0.
struct WaveSnapshot {
    /// Each field on all sea cells; periods and directions are not-a-number where there are no
    /// waves.
    std::vector<std::vector<double>> fields;
    WaveDiagnostics diagnostics;
    /// The spectra of the plan's points, one after the other, each as SpectralGrid has it.
    std::vector<double> spectra;
};

/// Gathers the state on rank 0. All sums are in the order of the cells, so that they are the same
/// on any number of ranks.
Task take_snapshot(Comm& comm, const WaveCore& core, WaveSnapshot& snapshot);

}  // namespace tradewind::fvwam

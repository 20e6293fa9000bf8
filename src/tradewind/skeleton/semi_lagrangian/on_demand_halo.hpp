/// OnDemandHalo: the halo of a semi-Lagrangian scheme, as wide as the largest wind requires, or
/// only the columns that the departure points need.
///
///     wide         one exchange of the halo (halo.hpp) with all fields
///     on_demand    1. the wind, over the whole halo, as trajectories need it
///                  2. a map with one bit per column of the halo, to each rank that holds some
///                  3. the columns that were asked for, of all other fields
///
/// Step 2 costs each rank a message to all of its neighbours, corners included. Step 3 costs one
/// from each rank that holds requested columns. The columns are those of a given wind (wind.hpp),
/// so both ends know all sizes and no map need be filled. Sources: zheng2018, section 3.2; the
/// three steps are those of IFS.
#pragma once

#include "tradewind/skeleton/halo.hpp"
#include "tradewind/skeleton/semi_lagrangian/needed_columns.hpp"

namespace tradewind::skeleton {

struct OnDemandHalo {
    /// The halo of all fields, over the whole width.
    Halo wide;
    /// The halo of the wind only; no fields if the wind is known without an exchange.
    Halo trajectories;
    bool on_demand = false;
    /// The bytes of one column of the interpolated fields.
    Bytes column = 0;
    /// The number of columns that each rank requests, by the slots (y, x) of its strips.
    std::vector<std::int32_t> needed;
    /// The numbers of slots along x and y.
    std::array<std::int64_t, 2> slots{};
    std::int64_t repeat = 1;
};

/// The wind and its sampling.
struct DepartureSettings {
    PlaneWind wind;
    Plane plane;
    std::int64_t levels = 16;
};

/// Returns the width of the halo as in zheng2018: the distance of the fastest air in a step in
/// points, rounded up, and two for the interpolation.
[[nodiscard]] std::int64_t halo_width(const Plane& plane, double max_wind);

/// Sets `needed` from departure points; `wide` has been set. Throws ConfigError if the wind takes
/// air further than the halo is wide.
void find_needed(OnDemandHalo& plan, const DepartureSettings& settings);

Task exchange_on_demand(Comm& comm, const OnDemandHalo& plan);

[[nodiscard]] Estimate estimate(const OnDemandHalo& plan, Rank ranks);

}  // namespace tradewind::skeleton

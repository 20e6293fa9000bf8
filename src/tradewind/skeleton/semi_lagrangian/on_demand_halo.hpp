/// OnDemandHalo: the halo of a semi-Lagrangian scheme, as wide as the largest wind takes air, or
/// only the columns that the departure points need.
///
///     wide         one exchange of the halo (halo.hpp) with all fields
///     on_demand    1. the wind, over the whole halo, as trajectories need it
///                  2. a map with one bit per column of the halo, to each rank that holds some
///                  3. the columns that were asked for, of all other fields
///
/// Step 2 costs each rank a message to all of its neighbours, corners included, step 3 one from
/// each that has anything to give. The columns are those of a given wind (wind.hpp), so both ends
/// know all sizes and no map need be filled. Sources: zheng2018, section 3.2; the three steps are
/// those of IFS.
#pragma once

#include "tradewind/skeleton/halo.hpp"
#include "tradewind/skeleton/semi_lagrangian/needed_columns.hpp"

namespace tradewind::skeleton {

struct OnDemandHalo {
    /// All fields, over the whole width.
    Halo wide;
    /// The wind only; no fields if it is known without.
    Halo trajectories;
    bool on_demand = false;
    /// Bytes of one column of the fields that are interpolated.
    Bytes column = 0;
    /// For each rank and slots (y, x) of its strips, how many columns it asks for.
    std::vector<std::int32_t> needed;
    /// Slots along x and y.
    std::array<std::int64_t, 2> slots{};
    std::int64_t repeat = 1;
};

/// The wind and what one asks of it.
struct DepartureSettings {
    Wind wind;
    Plane plane;
    std::int64_t levels = 16;
};

/// Points from the fastest air of a step to its place of departure, rounded up, and two for the
/// interpolation: the width of the halo, as zheng2018 counts it.
[[nodiscard]] std::int64_t halo_width(const Plane& plane, double max_wind);

/// Sets `needed` by computing departure points; `wide` has been set. Throws ConfigError if the wind
/// takes air further than the halo is wide.
void find_needed(OnDemandHalo& plan, const DepartureSettings& settings);

Task exchange_on_demand(Comm& comm, const OnDemandHalo& plan);

[[nodiscard]] Estimate estimate(const OnDemandHalo& plan, Rank ranks);

}  // namespace tradewind::skeleton

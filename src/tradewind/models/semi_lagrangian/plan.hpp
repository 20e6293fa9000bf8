/// AdvectionPlan: everything that is fixed before an advection run, checked.
///
/// The grid: longitudes 2 pi i / nx; latitudes at cell centres, -pi/2 + (j + 1/2) pi / ny, so that
/// row -1 - j lies on the other side of the pole, nx/2 columns on; heights from 0 to `top`.
#pragma once

#include <array>

#include "tradewind/base/settings.hpp"
#include "tradewind/comm/halo/reach.hpp"
#include "tradewind/comm/tuning/use.hpp"
#include "tradewind/models/semi_lagrangian/trajectory.hpp"

namespace tradewind::semi_lagrangian {

/// The exchange of the columns around departure points: all within the reach of the fastest wind,
/// or those on demand.
enum class ColumnExchange : std::uint8_t { wide, on_demand };

/// Everything about a run; all ranks share one object.
struct AdvectionPlan {
    std::int64_t levels = 1;
    /// The columns within reach of the fastest wind.
    Reach reach;
    std::string case_name;
    std::shared_ptr<const Flow> flow;
    ColumnExchange exchange = ColumnExchange::wide;
    std::int64_t tracers = 1;
    std::int64_t iterations = 4;
    std::int64_t steps = 1;
    double time_step = 1800.0;  // s
    double max_wind = 200.0;    // m/s
    /// The number of rows that the halo extends to the north and south.
    std::int64_t halo_rows = 0;

    [[nodiscard]] std::int64_t nx() const noexcept { return reach.grid.x.items(); }
    [[nodiscard]] std::int64_t ny() const noexcept { return reach.grid.y.items(); }
    [[nodiscard]] double longitude(std::int64_t i) const noexcept {
        return 2 * pi * double(i) / double(nx());
    }
    [[nodiscard]] double latitude(std::int64_t j) const noexcept {
        return pi * (double(j) + 0.5) / double(ny()) - 0.5 * pi;
    }
    [[nodiscard]] double height(std::int64_t k) const noexcept {
        return levels > 1 ? top * double(k) / double(levels - 1) : 0.5 * top;
    }
    /// Returns the numbers per column.
    [[nodiscard]] std::int64_t depth() const noexcept { return levels * tracers; }
};

/// Reads a plan from the settings of settings.hpp.
/// Throws ConfigError, also if the fastest wind would go further than a quarter of the globe.
[[nodiscard]] AdvectionPlan make_plan(const Settings& settings, Rank ranks);
/// Reads a plan without the rows of the reach, whose memory grows with the grid, and without the
/// exchange, which may depend on them.
[[nodiscard]] AdvectionPlan make_draft(const Settings& settings, Rank ranks);

/// Returns the rows that a row of processes needs, as [first, end).
[[nodiscard]] std::array<std::int64_t, 2> rows_within_reach(const AdvectionPlan& plan,
                                                            Rank process_row);
/// Returns how many columns of row j it needs beyond its own ones, on each side; nx if it needs
/// all.
[[nodiscard]] std::int64_t width_of_reach(const AdvectionPlan& plan, Rank process_row,
                                          std::int64_t j);

/// The name of the choice of `exchange` in a tuning. Its bytes are those that a rank in the middle
/// of the grid receives through the wide halo.
inline constexpr std::string_view exchange_choice = "semi_lagrangian.exchange";
[[nodiscard]] std::vector<OperationUse> operations(const Settings& settings, Rank ranks);
[[nodiscard]] std::vector<Way> ways();

}  // namespace tradewind::semi_lagrangian

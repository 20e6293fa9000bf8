/// How a plan is read from settings, and how far the halo reaches.
#include "tradewind/models/semi_lagrangian/plan.hpp"

#include "tradewind/base/units.hpp"
#include "tradewind/comm/halo/column_halo.hpp"
#include "tradewind/comm/tuning/read_algorithm.hpp"
#include "tradewind/models/semi_lagrangian/settings.hpp"

namespace tradewind::semi_lagrangian {

namespace {

constexpr std::string_view name = "semi_lagrangian";
/// Cubic interpolation takes two points on each side.
constexpr std::int64_t stencil = 2;

void read_grid(const Settings& settings, Rank ranks, Plan& plan) {
    const auto grid = given::grid.of(settings);
    if (grid[0] % 2 != 0 || grid[0] < 4 || grid[1] < 4 || (grid[2] > 1 && grid[2] < 4)) {
        throw ConfigError(text(name, ": grid = [", grid[0], ", ", grid[1], ", ", grid[2],
                               "]; nx must be even and at least 4, ny at least 4, nz 1 or at "
                               "least 4"));
    }
    plan.levels = grid[2];
    plan.reach.grid = ColumnGrid(grid[0], grid[1],
                                 models::read_processes(name, settings, ranks, {grid[0], grid[1]}));
}

void read_time(const Settings& settings, Plan& plan) {
    plan.time_step = seconds(given::time_step.of(settings));
    plan.steps = given::steps.of(settings);
    plan.iterations = given::iterations.of(settings);
    plan.tracers = given::tracers.of(settings);
    plan.max_wind = given::max_wind.of(settings);
}

void read_case(const Settings& settings, Plan& plan) {
    constexpr double degree = pi / 180;
    plan.case_name = given::case_name.of(settings);
    const double alpha = given::alpha.of(settings);
    plan.flow = make_flow(plan.case_name, alpha * degree);
}

/// Columns that a rank in the middle gets from others through the wide halo, in bytes.
[[nodiscard]] Bytes halo_bytes(const Plan& plan) {
    const ColumnHalo halo(plan.reach, plan.reach.grid.ranks() / 2);
    return halo.foreign_columns() * plan.depth() * Bytes(sizeof(double));
}

void read_exchange(const Settings& settings, Plan& plan) {
    const auto exchange = given::exchange.of(settings);
    if (exchange) {
        plan.exchange = *exchange;
        return;
    }
    const Tuning tuning = need_tuning(settings);
    const std::string choice =
        tuning.pick(exchange_choice, plan.reach.grid.ranks(), halo_bytes(plan)).choice;
    plan.exchange = *given::exchange.of(Settings({{"exchange", choice}}));
}

/// Columns that air arriving in row j may come from, to the east and west: a great circle of angle
/// d spans asin(sin d / cos latitude) of longitude, all of it if it passes the pole.
[[nodiscard]] std::int64_t columns_within(const Plan& plan, std::int64_t j, double angle) {
    const double cosine = std::cos(plan.latitude(j));
    if (std::sin(angle) >= cosine) return plan.nx();
    const double spacing = 2 * pi / double(plan.nx());
    return std::min(
        plan.nx(),
        std::int64_t(std::ceil(std::asin(std::sin(angle) / cosine) / spacing)) + stencil);
}

/// What a process row of `rows` rows from `first` needs of all rows.
[[nodiscard]] std::vector<ReachRow> reach_of(const Plan& plan, std::int64_t first,
                                             std::int64_t rows, double angle) {
    const std::int64_t ny = plan.ny();
    const std::int64_t low = first - plan.halo_rows;
    const std::int64_t high = first + rows + plan.halo_rows;
    std::vector<ReachRow> result;
    for (std::int64_t j = std::max<std::int64_t>(low, 0); j < std::min(high, ny); ++j) {
        // Rows that are met again beyond a pole are needed all round.
        if (-1 - j >= low || 2 * ny - 1 - j < high) {
            result.push_back({j, plan.nx()});
            continue;
        }
        std::int64_t width = 0;
        for (std::int64_t own = first; own < first + rows; ++own) {
            if (std::abs(own - j) <= plan.halo_rows)
                width = std::max(width, columns_within(plan, own, angle));
        }
        result.push_back({j, width});
    }
    return result;
}

void make_reach(Plan& plan) {
    const double angle = plan.max_wind * plan.time_step / radius;
    if (angle > pi / 2) {
        throw ConfigError(text(name, ": max_wind_m_s = ", plan.max_wind, " goes ",
                               angle * radius / 1000, " km in a time step of ", plan.time_step,
                               " s, more than a quarter of the globe"));
    }
    plan.halo_rows = std::int64_t(std::ceil(angle * double(plan.ny()) / pi)) + stencil;
    const Partition& y = plan.reach.grid.y;
    for (std::int64_t row = 0; row < y.parts(); ++row)
        plan.reach.rows.push_back(reach_of(plan, y.start(row), y.size(row), angle));
}

}  // namespace

Plan make_plan(const Settings& settings, Rank ranks) {
    refuse_unknown(name, settings, {given::always});
    Plan plan;
    read_grid(settings, ranks, plan);
    read_time(settings, plan);
    read_case(settings, plan);
    make_reach(plan);
    read_exchange(settings, plan);
    return plan;
}

std::vector<OperationUse> operations(const Settings& settings, Rank ranks) {
    const Plan plan = make_plan(settings, ranks);
    return {{std::string(exchange_choice), ranks, halo_bytes(plan), "", plan.steps, "exchange"}};
}

std::vector<Way> ways() {
    const std::string operation(exchange_choice);
    return {{operation, "wide", 0, 0, false, "wide"},
            {operation, "on_demand", 0, 0, false, "on_demand"}};
}

}  // namespace tradewind::semi_lagrangian

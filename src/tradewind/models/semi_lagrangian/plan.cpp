/// Reading of a plan, and the reach of the halo.
#include "tradewind/models/semi_lagrangian/plan.hpp"

#include "tradewind/base/interrupts.hpp"
#include "tradewind/base/units.hpp"
#include "tradewind/comm/halo/column_halo.hpp"
#include "tradewind/comm/tuning/read_algorithm.hpp"
#include "tradewind/models/semi_lagrangian/settings.hpp"

namespace tradewind::semi_lagrangian {

namespace {

constexpr std::string_view name = "semi_lagrangian";
/// Points on each side that cubic interpolation needs.
constexpr std::int64_t stencil = 2;

void read_grid(const Settings& settings, Rank ranks, AdvectionPlan& plan) {
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

void read_time(const Settings& settings, AdvectionPlan& plan) {
    plan.time_step = seconds(given::time_step.of(settings));
    plan.steps = given::steps.of(settings);
    plan.iterations = given::iterations.of(settings);
    plan.tracers = given::tracers.of(settings);
    plan.max_wind = given::max_wind.of(settings);
}

void read_case(const Settings& settings, AdvectionPlan& plan) {
    constexpr double degree = pi / 180;
    plan.case_name = given::case_name.of(settings);
    const double alpha = given::alpha.of(settings);
    plan.flow = make_flow(plan.case_name, alpha * degree);
}

/// Returns the bytes that a rank in the middle of the grid receives through the wide halo.
[[nodiscard]] Bytes halo_bytes(const AdvectionPlan& plan) {
    const ColumnHalo halo(plan.reach, plan.reach.grid.ranks() / 2);
    return halo.foreign_columns() * plan.depth() * Bytes(sizeof(double));
}

void read_exchange(const Settings& settings, AdvectionPlan& plan) {
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

/// Returns the columns to the east and west that air arriving in row j may come from. A great
/// circle of angle d spans asin(sin d / cos latitude) of longitude, and all of it if it passes the
/// pole.
[[nodiscard]] std::int64_t columns_within(const AdvectionPlan& plan, std::int64_t j, double angle) {
    const double cosine = std::cos(plan.latitude(j));
    if (std::sin(angle) >= cosine) return plan.nx();
    const double spacing = 2 * pi / double(plan.nx());
    return std::min(
        plan.nx(),
        std::int64_t(std::ceil(std::asin(std::sin(angle) / cosine) / spacing)) + stencil);
}

void set_halo_rows(AdvectionPlan& plan) {
    const double angle = plan.max_wind * plan.time_step / radius;
    if (angle > pi / 2) {
        throw ConfigError(text(name, ": max_wind_m_s = ", plan.max_wind, " goes ",
                               angle * radius / 1000, " km in a time step of ", plan.time_step,
                               " s, more than a quarter of the globe"));
    }
    plan.halo_rows = std::int64_t(std::ceil(angle * double(plan.ny()) / pi)) + stencil;
}

void make_reach(AdvectionPlan& plan) {
    for (Rank row = 0; row < plan.reach.grid.processes.cy; ++row) {
        const auto [first, end] = rows_within_reach(plan, row);
        auto& rows = plan.reach.rows.emplace_back();
        for (std::int64_t j = first; j < end; ++j) {
            check_interrupts(16);
            rows.push_back({j, width_of_reach(plan, row, j)});
        }
    }
}

}  // namespace

std::array<std::int64_t, 2> rows_within_reach(const AdvectionPlan& plan, Rank process_row) {
    const Partition& y = plan.reach.grid.y;
    const std::int64_t first = y.start(process_row) - plan.halo_rows;
    const std::int64_t end = y.start(process_row) + y.size(process_row) + plan.halo_rows;
    return {std::max<std::int64_t>(first, 0), std::min(end, plan.ny())};
}

std::int64_t width_of_reach(const AdvectionPlan& plan, Rank process_row, std::int64_t j) {
    const std::int64_t first = plan.reach.grid.y.start(process_row);
    const std::int64_t last = first + plan.reach.grid.y.size(process_row) - 1;
    // Rows that appear again beyond a pole are needed all around.
    if (-1 - j >= first - plan.halo_rows || 2 * plan.ny() - 1 - j <= last + plan.halo_rows)
        return plan.nx();
    // Among the own rows within reach, those next to a pole reach furthest.
    const double angle = plan.max_wind * plan.time_step / radius;
    return std::max(columns_within(plan, std::max(first, j - plan.halo_rows), angle),
                    columns_within(plan, std::min(last, j + plan.halo_rows), angle));
}

AdvectionPlan make_draft(const Settings& settings, Rank ranks) {
    refuse_unknown(name, settings, {given::always});
    AdvectionPlan plan;
    read_grid(settings, ranks, plan);
    read_time(settings, plan);
    read_case(settings, plan);
    set_halo_rows(plan);
    return plan;
}

AdvectionPlan make_plan(const Settings& settings, Rank ranks) {
    AdvectionPlan plan = make_draft(settings, ranks);
    make_reach(plan);
    read_exchange(settings, plan);
    return plan;
}

std::vector<OperationUse> operations(const Settings& settings, Rank ranks) {
    const AdvectionPlan plan = make_plan(settings, ranks);
    return {{std::string(exchange_choice), ranks, halo_bytes(plan), "", plan.steps, "exchange"}};
}

std::vector<Way> ways() {
    const std::string operation(exchange_choice);
    std::vector<Way> all;
    for (const std::string_view choice : given::exchange.choices) {
        if (choice.empty() || choice == tuned) continue;
        const std::string name(choice);
        all.push_back({operation, name, {}, name, choice == given::exchange.choices[0]});
    }
    return all;
}

}  // namespace tradewind::semi_lagrangian

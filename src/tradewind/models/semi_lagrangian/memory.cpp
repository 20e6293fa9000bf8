/// Counts the arrays of Advection, its halo and its messages, and the gathered tracer.
#include "tradewind/models/semi_lagrangian/memory.hpp"

#include <algorithm>

#include "tradewind/models/semi_lagrangian/interpolation.hpp"

namespace tradewind::semi_lagrangian {

namespace {

constexpr double number = sizeof(double);

/// The largest number of rows of the reach that are sampled, over all rows of processes.
constexpr std::int64_t most_samples = 1 << 20;

/// Returns the columns that a rank of one row of processes keeps, its own ones included. It is a
/// sum over the rows of its reach, of which evenly spaced samples stand for all if there are many.
[[nodiscard]] double kept_columns(const AdvectionPlan& plan, Rank row, double width) {
    const auto [first, end] = rows_within_reach(plan, row);
    const std::int64_t most =
        std::max<std::int64_t>(most_samples / plan.reach.grid.processes.cy, 16);
    const std::int64_t samples = std::min(end - first, most);
    const double spacing = double(end - first) / double(samples);
    double sum = 0.0;
    for (std::int64_t n = 0; n < samples; ++n) {
        const auto j = std::min(first + std::int64_t((double(n) + 0.5) * spacing), end - 1);
        const double beyond = 2.0 * double(width_of_reach(plan, row, j));
        sum += spacing * std::min(width + beyond, double(plan.nx()));
    }
    return sum;
}

/// Bytes between the exchanges, and those that an exchange adds.
struct PartBytes {
    double lasting = 0.0;
    double messages = 0.0;
};

[[nodiscard]] PartBytes bytes_of_part(const AdvectionPlan& plan, Rank row) {
    const auto& grid = plan.reach.grid;
    const double width = double(grid.x.items()) / double(grid.processes.cx);
    const double own = width * double(grid.y.size(row));
    const double kept = std::max(kept_columns(plan, row, width), own);
    const auto [first, end] = rows_within_reach(plan, row);
    // Each row has a position in the halo and stretches for kept, sent and received columns.
    const double rows = double(end - first) * 8 * sizeof(std::int64_t);
    const auto depth = double(plan.depth());
    const double departures = own * double(plan.levels) * double(sizeof(GridPosition));
    return {number * depth * (own + kept) + kept + departures + rows,
            number * depth * copies_of_message * (kept - own)};
}

}  // namespace

RunMemory memory_of(const AdvectionPlan& plan) {
    const auto& grid = plan.reach.grid;
    PartBytes all;
    double reach = 0.0;
    for (Rank row = 0; row < grid.processes.cy; ++row) {
        const PartBytes part = bytes_of_part(plan, row);
        all.lasting += double(grid.processes.cx) * part.lasting;
        all.messages += double(grid.processes.cx) * part.messages;
        const auto [first, end] = rows_within_reach(plan, row);
        reach += 1.5 * double(end - first) * double(sizeof(ReachRow));
    }
    const double columns = double(plan.nx()) * double(plan.ny());
    const double tracer = number * columns * double(plan.levels);
    // The first rank holds all columns, those of one rank, and the tracer alone. The columns of the
    // others are in transit to it.
    const double gathered = number * columns * double(plan.depth()) * 2.0 + tracer;
    return {all.lasting + std::max(all.messages, gathered) + reach, tracer};
}

}  // namespace tradewind::semi_lagrangian

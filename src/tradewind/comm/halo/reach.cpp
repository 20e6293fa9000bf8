/// Who may exchange with whom.
#include "tradewind/comm/halo/reach.hpp"

#include <algorithm>

namespace tradewind {

namespace {

[[nodiscard]] bool needs_anything(const Reach& reach, Rank consumer, Rank supplier) {
    bool found = false;
    visit_needed(reach, consumer, supplier, [&](const ColumnRun&) { found = true; });
    return found;
}

/// Whether ranks of process row `consumer` need rows of process row `supplier`.
[[nodiscard]] bool rows_meet(const Reach& reach, Rank consumer, Rank supplier) {
    const std::int64_t first = reach.grid.y.start(supplier);
    const std::int64_t end = first + reach.grid.y.size(supplier);
    return std::ranges::any_of(reach.rows[std::size_t(consumer)], [=](const ReachRow& one) {
        return one.row >= first && one.row < end;
    });
}

/// The ranks of the process rows for which meets(row) holds, for which talks(rank) holds too.
[[nodiscard]] std::vector<Rank> partners(const ProcessGrid& grid, const auto& meets,
                                         const auto& talks) {
    std::vector<Rank> found;
    for (Rank row = 0; row < grid.cy; ++row) {
        if (!meets(row)) continue;
        for (Rank rank = row * grid.cx; rank < (row + 1) * grid.cx; ++rank)
            if (talks(rank)) found.push_back(rank);
    }
    return found;
}

}  // namespace

std::vector<Rank> suppliers_of(const Reach& reach, Rank consumer) {
    const Rank own = reach.grid.processes.row(consumer);
    return partners(
        reach.grid.processes, [&](Rank row) { return rows_meet(reach, own, row); },
        [&](Rank rank) { return rank != consumer && needs_anything(reach, consumer, rank); });
}

std::vector<Rank> consumers_of(const Reach& reach, Rank supplier) {
    const Rank own = reach.grid.processes.row(supplier);
    return partners(
        reach.grid.processes, [&](Rank row) { return rows_meet(reach, row, own); },
        [&](Rank rank) { return rank != supplier && needs_anything(reach, rank, supplier); });
}

}  // namespace tradewind

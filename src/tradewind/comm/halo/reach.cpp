/// The pairs of ranks that may exchange columns.
#include "tradewind/comm/halo/reach.hpp"

#include <algorithm>

namespace tradewind {

namespace {

[[nodiscard]] bool needs_anything(const Reach& reach, Rank consumer, Rank supplier) {
    bool found = false;
    visit_needed(reach, consumer, supplier, [&](const ColumnRun&) { found = true; });
    return found;
}

/// Returns the largest width to which ranks of process row `consumer` need rows of process row
/// `supplier`; -1 if they need none of them.
[[nodiscard]] std::int64_t widest(const Reach& reach, Rank consumer, Rank supplier) {
    const auto& rows = reach.rows[std::size_t(consumer)];
    const std::int64_t first = reach.grid.y.start(supplier);
    const std::int64_t end = first + reach.grid.y.size(supplier);
    std::int64_t width = -1;
    for (auto one = std::ranges::lower_bound(rows, first, {}, &ReachRow::row);
         one != rows.end() && one->row < end; ++one)
        width = std::max(width, one->width);
    return width;
}

/// Calls visit(column) in ascending order for the columns of the process grid that hold any point
/// within `width` of column `own`, periodically; it may visit a few more.
void visit_near(const Partition& x, Rank own, std::int64_t width, const auto& visit) {
    const std::int64_t nx = x.items();
    const std::int64_t low = x.start(own) - width - 1;
    const std::int64_t high = x.start(own) + x.size(own) + width;
    const auto visit_all = [&](Rank from, Rank to) {
        for (Rank column = from; column <= to; ++column) visit(column);
    };
    if (high - low + 1 >= nx) return visit_all(0, x.parts() - 1);
    const Rank first = x.owner(low < 0 ? low + nx : low);
    const Rank last = x.owner(high < nx ? high : high - nx);
    if (low >= 0 && high < nx) return visit_all(first, last);
    visit_all(0, std::min(last, first - 1));
    visit_all(first, x.parts() - 1);
}

/// Returns the ranks for which talks(rank) holds; reach_to(process row) is the width to search
/// within.
[[nodiscard]] std::vector<Rank> partners(const ColumnGrid& grid, Rank rank, const auto& reach_to,
                                         const auto& talks) {
    const ProcessGrid& processes = grid.processes;
    std::vector<Rank> found;
    for (Rank row = 0; row < processes.cy; ++row) {
        const std::int64_t width = reach_to(row);
        if (width < 0) continue;
        visit_near(grid.x, processes.column(rank), width, [&](Rank column) {
            const Rank other = row * processes.cx + column;
            if (other != rank && talks(other)) found.push_back(other);
        });
    }
    return found;
}

}  // namespace

std::vector<Rank> suppliers_of(const Reach& reach, Rank consumer) {
    const Rank own = reach.grid.processes.row(consumer);
    return partners(
        reach.grid, consumer, [&](Rank row) { return widest(reach, own, row); },
        [&](Rank rank) { return needs_anything(reach, consumer, rank); });
}

std::vector<Rank> consumers_of(const Reach& reach, Rank supplier) {
    const Rank own = reach.grid.processes.row(supplier);
    return partners(
        reach.grid, supplier, [&](Rank row) { return widest(reach, row, own); },
        [&](Rank rank) { return needs_anything(reach, rank, supplier); });
}

}  // namespace tradewind

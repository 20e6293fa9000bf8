/// Reach: the columns of a grid that each rank needs, its own and those of others; known to all
/// ranks by arithmetic.
///
/// A grid of nx by ny columns, periodic in x, is cut into parts by cx by cy ranks. A rank needs
/// whole rows, or pieces of rows that extend a number of columns beyond its own ones on both sides:
///
///     row                                  width
///     5    . . h h h h h h h . . . . .       3
///     4    . . . h h o h h . . . . . .       2     o: own, h: halo
///     3    . . . h h o h h . . . . . .       2
///     2    . . . . h h h . . . . . . .       1
///
/// The width of a row depends on the row of the process grid, not on its column. Hence the table
/// has one entry per needed row of each of the cy process rows, and all ranks can share it.
#pragma once

#include <vector>

#include "tradewind/base/partition.hpp"
#include "tradewind/comm/process_grid.hpp"

namespace tradewind {

/// The columns of the grid and their owners: rank = row * cx + column of the process grid.
struct ColumnGrid {
    ColumnGrid() = default;
    /// Cuts nx by ny columns; throws ConfigError if a part would be empty.
    ColumnGrid(std::int64_t nx, std::int64_t ny, ProcessGrid by)
        : processes(by), x(full_partition("x", nx, by.cx)), y(full_partition("y", ny, by.cy)) {}

    ProcessGrid processes;
    Partition x;
    Partition y;

    [[nodiscard]] Rank ranks() const noexcept { return processes.cx * processes.cy; }
    /// Returns the number of columns that `rank` owns; column (i, j) is number (j - first row) *
    /// own width + i - first.
    [[nodiscard]] std::int64_t own_columns(Rank rank) const noexcept {
        return x.size(processes.column(rank)) * y.size(processes.row(rank));
    }
};

/// A needed row: all own columns and `width` columns more on each side.
struct ReachRow {
    std::int64_t row = 0;
    std::int64_t width = 0;
};

/// The reach of all ranks; one object serves a whole run.
struct Reach {
    ColumnGrid grid;
    /// The needed rows of each process row in ascending order, including its own ones.
    std::vector<std::vector<ReachRow>> rows;
};

/// A run of `count` columns first, first + 1, ... of one row.
struct ColumnRun {
    std::int64_t row = 0;
    std::int64_t first = 0;
    std::int64_t count = 0;
};

/// Calls visit(ColumnRun) for the columns of `supplier` that `consumer` needs, in the same order on
/// both ranks.
template <class Visit>
void visit_needed(const Reach& reach, Rank consumer, Rank supplier, Visit visit) {
    const ColumnGrid& grid = reach.grid;
    const std::int64_t nx = grid.x.items();
    const Rank mine = grid.processes.column(consumer);
    const Rank theirs = grid.processes.column(supplier);
    const Rank rows = grid.processes.row(supplier);
    const std::int64_t first_row = grid.y.start(rows);
    const std::int64_t begin = grid.x.start(theirs);
    const std::int64_t end = begin + grid.x.size(theirs);
    for (const ReachRow& one : reach.rows[std::size_t(grid.processes.row(consumer))]) {
        if (one.row < first_row || one.row >= first_row + grid.y.size(rows)) continue;
        if (grid.x.size(mine) + 2 * one.width >= nx) {
            visit(ColumnRun{one.row, begin, end - begin});
            continue;
        }
        for (const std::int64_t turn : {-nx, std::int64_t{0}, nx}) {
            const std::int64_t low = grid.x.start(mine) - one.width + turn;
            const std::int64_t high = grid.x.start(mine) + grid.x.size(mine) + one.width + turn;
            const std::int64_t first = std::max(begin, low);
            if (first < std::min(end, high))
                visit(ColumnRun{one.row, first, std::min(end, high) - first});
        }
    }
}

/// Returns the ranks, other than itself, that own columns that `consumer` needs, in ascending
/// order.
[[nodiscard]] std::vector<Rank> suppliers_of(const Reach& reach, Rank consumer);
/// Returns the ranks, other than itself, that need columns of `supplier`, in ascending order.
[[nodiscard]] std::vector<Rank> consumers_of(const Reach& reach, Rank supplier);

}  // namespace tradewind

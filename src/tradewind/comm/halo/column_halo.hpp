/// ColumnHalo: the places of the columns that one rank needs, and the messages that bring all of
/// them or only the requested ones.
///
///     exchange_columns     every column of the reach, one message per pair of ranks
///     exchange_marked      1. a map with one bit per column of the reach, to each supplier
///                          2. the marked columns, from each supplier with any
///
/// Both ends know the size of each map by arithmetic. `exchange_marked` sends at most twice as many
/// messages, and saves bytes if few columns of the reach are needed. IFS has exchanged its
/// semi-Lagrangian halo on demand in this way since 2007; its maps are lists of integers.
#pragma once

#include <span>

#include "tradewind/comm/comm.hpp"
#include "tradewind/comm/halo/reach.hpp"

namespace tradewind {

class ColumnHalo {
public:
    /// A stretch of `count` columns that are contiguous in memory; `start` is counted in columns.
    struct Stretch {
        std::int64_t start = 0;
        std::int64_t count = 0;
    };
    /// The columns that are exchanged with one rank.
    struct Piece {
        Rank rank = 0;
        std::int64_t columns = 0;
        std::vector<Stretch> stretches;
    };

    /// Finds the places and messages of `rank`; `reach` must outlive the halo.
    ColumnHalo(const Reach& reach, Rank rank);

    /// Returns the number of columns kept, own ones included.
    [[nodiscard]] std::int64_t columns() const noexcept { return columns_; }
    /// Returns the place of column (i, row); 0 <= i < nx, and the column must be within reach.
    [[nodiscard]] std::int64_t index(std::int64_t row, std::int64_t i) const noexcept {
        const std::int64_t above = row - first_row_;
        const HaloRow& one = rows_[std::size_t(above < 0 ? above + ny_ : above)];
        const std::int64_t ahead = i - one.first;
        return one.base + (ahead < 0 ? ahead + nx_ : ahead);
    }
    /// Returns the pieces that other ranks send, by place in the halo.
    [[nodiscard]] std::span<const Piece> incoming() const noexcept { return incoming_; }
    /// Returns the pieces that other ranks receive, by own column.
    [[nodiscard]] std::span<const Piece> outgoing() const noexcept { return outgoing_; }
    /// Returns the number of columns in all incoming pieces.
    [[nodiscard]] std::int64_t foreign_columns() const noexcept;
    /// Copies the rank's own columns, of `depth` numbers each, to their places.
    void copy_own(const double* own, double* kept, std::int64_t depth) const;
    /// Returns the local work of `copy_own`.
    [[nodiscard]] LocalWork own_work(std::int64_t depth) const noexcept {
        return {own_.columns * depth * Bytes(sizeof(double)), own_.columns, 0};
    }

private:
    struct HaloRow {
        std::int64_t base = -1;
        std::int64_t first = 0;
    };
    void add_rows(const Reach& reach, Rank rank);

    std::int64_t nx_;
    std::int64_t ny_;
    std::int64_t columns_ = 0;
    // The first row of the shortest range of rows, wrapped at the end of the domain, that contains
    // all needed rows.
    std::int64_t first_row_ = 0;
    std::vector<HaloRow> rows_;
    std::vector<Piece> incoming_;
    std::vector<Piece> outgoing_;
    Piece own_;
};

/// The data of one rank, `depth` numbers per column: its own columns, and room for the whole halo.
/// Both pointers are null if only the messages matter.
struct ColumnData {
    const double* own = nullptr;
    double* kept = nullptr;
    std::int64_t depth = 1;
};

/// The messages and bytes that one rank has sent.
struct ColumnTraffic {
    std::int64_t messages = 0;
    Bytes bytes = 0;
    /// The part of them that are maps.
    std::int64_t request_messages = 0;
    Bytes request_bytes = 0;
};

/// Fills the halo of all ranks, own columns included.
Task exchange_columns(Comm& comm, const ColumnHalo& halo, const ColumnData& data,
                      ColumnTraffic& traffic);

/// Fills the columns of the halo whose entry in `marks` (one per column of the halo) is not zero,
/// and the own columns. All others become NaN, so that a wrong access is noticed.
Task exchange_marked(Comm& comm, const ColumnHalo& halo, std::span<const std::uint8_t> marks,
                     const ColumnData& data, ColumnTraffic& traffic);

/// Collects the columns of all ranks on rank 0: `all` becomes [row][i][depth] there.
Task gather_columns(Comm& comm, const ColumnGrid& grid, std::span<const double> own,
                    std::int64_t depth, std::vector<double>& all);

}  // namespace tradewind

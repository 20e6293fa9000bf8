/// ColumnHalo: where one rank keeps the columns that it needs, and the messages that bring them:
/// all of them, or only those that are asked for.
///
///     exchange_columns     every column of the reach, one message per pair of ranks
///     exchange_marked      1. a map with one bit per column of the reach, to each supplier
///                          2. the marked columns, from each supplier with any
///
/// Both ends know the size of each map by arithmetic. The second way sends at most twice as many
/// messages; it saves bytes where few columns of the reach are needed. So does IFS since 2007 with
/// its semi-Lagrangian halo, whose maps are lists of integers.
#pragma once

#include <span>

#include "tradewind/comm/comm.hpp"
#include "tradewind/comm/halo/reach.hpp"

namespace tradewind {

class ColumnHalo {
public:
    /// `count` columns in a row of memory, counted in columns.
    struct Stretch {
        std::int64_t start = 0;
        std::int64_t count = 0;
    };
    /// What is exchanged with one rank.
    struct Piece {
        Rank rank = 0;
        std::int64_t columns = 0;
        std::vector<Stretch> stretches;
    };

    /// `reach` must outlive the halo.
    ColumnHalo(const Reach& reach, Rank rank);

    /// Number of columns kept, own ones included.
    [[nodiscard]] std::int64_t columns() const noexcept { return columns_; }
    /// Where column (i, row) is kept; 0 <= i < nx, and the column must be within reach.
    [[nodiscard]] std::int64_t index(std::int64_t row, std::int64_t i) const noexcept {
        const std::int64_t above = row - first_row_;
        const Place& place = places_[std::size_t(above < 0 ? above + ny_ : above)];
        const std::int64_t ahead = i - place.first;
        return place.base + (ahead < 0 ? ahead + nx_ : ahead);
    }
    /// From whom what comes, by place in the halo; to whom what goes, by own column.
    [[nodiscard]] std::span<const Piece> incoming() const noexcept { return incoming_; }
    [[nodiscard]] std::span<const Piece> outgoing() const noexcept { return outgoing_; }
    /// Columns of all incoming pieces.
    [[nodiscard]] std::int64_t foreign_columns() const noexcept;
    /// Copies the own columns of `depth` numbers each to their places.
    void copy_own(const double* own, double* kept, std::int64_t depth) const;
    /// What `copy_own` costs.
    [[nodiscard]] LocalWork own_work(std::int64_t depth) const noexcept {
        return {own_.columns * depth * Bytes(sizeof(double)), own_.columns, 0};
    }

private:
    struct Place {
        std::int64_t base = -1;
        std::int64_t first = 0;
    };
    void add_places(const Reach& reach, Rank rank);

    std::int64_t nx_;
    std::int64_t ny_;
    std::int64_t columns_ = 0;
    // Of the shortest range of rows, round the domain, that holds all needed ones.
    std::int64_t first_row_ = 0;
    std::vector<Place> places_;
    std::vector<Piece> incoming_;
    std::vector<Piece> outgoing_;
    Piece own_;
};

/// The numbers of one rank, `depth` per column: its own columns, and room for all of the halo.
/// Both pointers are null where only the messages are wanted.
struct ColumnData {
    const double* own = nullptr;
    double* kept = nullptr;
    std::int64_t depth = 1;
};

/// What one rank has sent.
struct ColumnTraffic {
    std::int64_t messages = 0;
    Bytes bytes = 0;
    /// Of these: the maps.
    std::int64_t request_messages = 0;
    Bytes request_bytes = 0;
};

/// Fills the halo of all ranks, own columns included.
Task exchange_columns(Comm& comm, const ColumnHalo& halo, const ColumnData& data,
                      ColumnTraffic& traffic);

/// Fills the columns of the halo whose entry in `marks` (one per column of the halo) is not zero,
/// and the own ones; the others become NaN, so that none can be read by mistake.
Task exchange_marked(Comm& comm, const ColumnHalo& halo, std::span<const std::uint8_t> marks,
                     const ColumnData& data, ColumnTraffic& traffic);

/// Collects the columns of all ranks on rank 0: `all` becomes [row][i][depth] there.
Task gather_columns(Comm& comm, const ColumnGrid& grid, std::span<const double> own,
                    std::int64_t depth, std::vector<double>& all);

}  // namespace tradewind

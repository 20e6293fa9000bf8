/// ProcessGrid: P ranks as cx columns by cy rows, as square as the model's grid allows.
#pragma once

#include <optional>
#include <string_view>

#include "tradewind/base/errors.hpp"
#include "tradewind/comm/comm.hpp"

namespace tradewind {

/// A grid of processes, rank = row * cx + column. A column is a position along the dimension that
/// cx cuts, a row a position along the dimension that cy cuts.
struct ProcessGrid {
    Rank cx = 1;
    Rank cy = 1;

    [[nodiscard]] Rank column(Rank rank) const noexcept { return rank % cx; }
    [[nodiscard]] Rank row(Rank rank) const noexcept { return rank / cx; }
    friend bool operator==(const ProcessGrid&, const ProcessGrid&) = default;
};

/// The shortest dimension that cx or cy cuts.
struct CutLimit {
    std::string_view dimension;
    std::int64_t points = 1;

    /// Returns the shorter one of two dimensions; the first if they are equal.
    [[nodiscard]] CutLimit operator&(const CutLimit& other) const noexcept {
        return other.points < points ? other : *this;
    }
};

struct ProcessLimits {
    CutLimit cx;
    CutLimit cy;

    [[nodiscard]] bool allow(ProcessGrid grid) const noexcept {
        return grid.cx <= cx.points && grid.cy <= cy.points;
    }
};

/// Throws a ConfigError that names the dimension if one is too short, or that says that cx * cy is
/// not the number of ranks.
inline void check_process_grid(ProcessGrid grid, Rank ranks, const ProcessLimits& limits) {
    const auto given = [&] { return text("process grid ", grid.cx, " x ", grid.cy, ": "); };
    if (grid.cx < 1 || grid.cy < 1) throw ConfigError(given() + "both numbers must be at least 1");
    const auto check = [&](const char* name, Rank parts, const CutLimit& limit) {
        if (parts <= limit.points) return;
        throw ConfigError(given() + text(limit.dimension, " has ", limit.points,
                                         " points and is cut by ", name, " = ", parts, "; ", name,
                                         " may be at most ", limit.points));
    };
    check("cx", grid.cx, limits.cx);
    check("cy", grid.cy, limits.cy);
    if (ranks % grid.cx != 0 || ranks / grid.cx != grid.cy) {
        throw ConfigError(given() + text("the product must be the number of ranks, ", ranks));
    }
}

/// Returns the allowed grid whose sides differ least; of two equally good grids the one with the
/// smaller cx.
[[nodiscard]] inline ProcessGrid squarest_process_grid(Rank ranks, const ProcessLimits& limits) {
    if (ranks < 1) throw ConfigError(text("ranks = ", ranks, " must be at least 1"));
    Rank side = 1;
    while ((side + 1) * (side + 1) <= ranks) ++side;
    for (; side >= 1; --side) {
        if (ranks % side != 0) continue;
        const ProcessGrid flat{side, ranks / side};
        const ProcessGrid tall{ranks / side, side};
        if (limits.allow(flat)) return flat;
        if (limits.allow(tall)) return tall;
    }
    throw ConfigError(text("no process grid cx x cy = ", ranks, ": cx cuts ", limits.cx.dimension,
                           " and may be at most ", limits.cx.points, ", cy cuts ",
                           limits.cy.dimension, " and may be at most ", limits.cy.points));
}

/// Returns the grid that the user asked for, after a check, or the squarest one.
[[nodiscard]] inline ProcessGrid process_grid(Rank ranks, const ProcessLimits& limits,
                                              std::optional<ProcessGrid> wanted = {}) {
    if (!wanted) return squarest_process_grid(ranks, limits);
    check_process_grid(*wanted, ranks, limits);
    return *wanted;
}

}  // namespace tradewind

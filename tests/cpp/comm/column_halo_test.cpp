/// ColumnHalo: after an exchange every kept column equals that of its owner; on demand, only the
/// marked ones are sent.
#include "tradewind/comm/halo/column_halo.hpp"

#include <cmath>

#include "support/ranks.hpp"
#include "testing.hpp"

using namespace tradewind;

namespace {

constexpr std::int64_t depth = 3;
constexpr std::int64_t nx = 12;
constexpr std::int64_t ny = 7;

struct Case {
    ProcessGrid processes;
    std::int64_t width;  // in y, and in x one more in even rows
};

const Case cases[] = {{{1, 1}, 2}, {{2, 1}, 1}, {{1, 2}, 2},  {{3, 1}, 2}, {{2, 2}, 3},
                      {{3, 2}, 1}, {{4, 2}, 5}, {{12, 1}, 3}, {{4, 3}, 2}, {{1, 7}, 3}};

/// Returns the reach of a case, whose rows are not periodic.
Reach reach_of(const Case& one) {
    Reach reach{ColumnGrid(nx, ny, one.processes), {}};
    for (Rank part = 0; part < one.processes.cy; ++part) {
        const std::int64_t first = reach.grid.y.start(part) - one.width;
        const std::int64_t end = first + reach.grid.y.size(part) + 2 * one.width;
        reach.rows.emplace_back();
        for (std::int64_t j = std::max<std::int64_t>(first, 0); j < std::min(end, ny); ++j)
            reach.rows.back().push_back({j, one.width + 1 - j % 2});
    }
    return reach;
}

double value_of(std::int64_t row, std::int64_t i, std::int64_t lane) {
    return double((row * nx + i) * depth + lane);
}

std::vector<double> own_values(const Reach& reach, Rank rank) {
    const Rank column = reach.grid.processes.column(rank);
    const Rank row = reach.grid.processes.row(rank);
    std::vector<double> values;
    for (std::int64_t j = 0; j < reach.grid.y.size(row); ++j)
        for (std::int64_t i = 0; i < reach.grid.x.size(column); ++i)
            for (std::int64_t lane = 0; lane < depth; ++lane)
                values.push_back(
                    value_of(reach.grid.y.start(row) + j, reach.grid.x.start(column) + i, lane));
    return values;
}

/// The properties of a column for a rank: whether the rank owns it, and whether it keeps it in the
/// halo.
struct Need {
    bool is_own;
    bool is_kept;
};
Need need_of(const Reach& reach, Rank rank, std::int64_t j, std::int64_t i) {
    const Rank row = reach.grid.processes.row(rank);
    const std::int64_t first = reach.grid.x.start(reach.grid.processes.column(rank));
    const std::int64_t count = reach.grid.x.size(reach.grid.processes.column(rank));
    Need need{false, false};
    for (const ReachRow& one : reach.rows[std::size_t(row)]) {
        if (one.row != j) continue;
        for (std::int64_t at = first - one.width; at < first + count + one.width; ++at)
            need.is_kept = need.is_kept || (at - i) % nx == 0;
    }
    need.is_own = i >= first && i < first + count && j >= reach.grid.y.start(row) &&
                  j < reach.grid.y.start(row) + reach.grid.y.size(row);
    return need;
}

/// The columns that one rank holds, and the messages that it has sent.
struct Held {
    std::vector<double> kept;
    ColumnTraffic traffic;
};

/// Reports whether `rank` requests the column in tests on demand.
bool wants(Rank rank, std::int64_t j, std::int64_t i) {
    return (i + 2 * j + rank) % 3 == 0;
}

std::vector<std::uint8_t> marks_of(const Reach& reach, const ColumnHalo& halo, Rank rank) {
    std::vector<std::uint8_t> marks(std::size_t(halo.columns()), std::uint8_t{0});
    for (std::int64_t j = 0; j < ny; ++j)
        for (std::int64_t i = 0; i < nx; ++i)
            if (wants(rank, j, i) && need_of(reach, rank, j, i).is_kept)
                marks[std::size_t(halo.index(j, i))] = 1;
    return marks;
}

Task exchange(Comm& comm, const Reach& reach, bool on_demand, Held& held) {
    const ColumnHalo halo(reach, comm.rank());
    const std::vector<double> own = own_values(reach, comm.rank());
    held.kept.assign(std::size_t(halo.columns() * depth), -1.0);
    const ColumnData data{own.data(), held.kept.data(), depth};
    const auto marks = marks_of(reach, halo, comm.rank());
    if (on_demand) {
        co_await exchange_marked(comm, halo, marks, data, held.traffic);
    } else {
        co_await exchange_columns(comm, halo, data, held.traffic);
    }
}

std::int64_t wrong_columns(const Reach& reach, Rank rank, bool on_demand, const Held& held) {
    const ColumnHalo halo(reach, rank);
    std::int64_t wrong = 0;
    for (std::int64_t j = 0; j < ny; ++j) {
        for (std::int64_t i = 0; i < nx; ++i) {
            const Need need = need_of(reach, rank, j, i);
            if (!need.is_kept) continue;
            const double found = held.kept[std::size_t(halo.index(j, i) * depth + 1)];
            const bool is_there = need.is_own || !on_demand || wants(rank, j, i);
            wrong += is_there ? found != value_of(j, i, 1) : !std::isnan(found);
        }
    }
    return wrong;
}

}  // namespace

TEST_CASE("every kept column is its owner's, on demand the marked ones only") {
    for (const Case& one : cases) {
        const Reach reach = reach_of(one);
        const Rank ranks = reach.grid.ranks();
        for (const Rank run : runnable({ranks})) {
            for (const bool on_demand : {false, true}) {
                CAPTURE(one.processes.cx, one.processes.cy, one.width, on_demand);
                std::vector<Held> held(static_cast<std::size_t>(run));
                run_ranks(run, [&](Comm& comm) {
                    return exchange(comm, reach, on_demand, held[std::size_t(comm.rank())]);
                });
                for (const Rank rank : visible(run))
                    CHECK_EQ(wrong_columns(reach, rank, on_demand, held[std::size_t(rank)]), 0);
            }
        }
    }
}

TEST_CASE("what a wide halo and an exchange on demand send is what the reach and the marks say") {
    const Reach reach = reach_of({{3, 2}, 1});
    for (const Rank ranks : runnable({6})) {
        for (const bool on_demand : {false, true}) {
            CAPTURE(on_demand);
            std::vector<Held> held(static_cast<std::size_t>(ranks));
            run_ranks(ranks, [&](Comm& comm) {
                return exchange(comm, reach, on_demand, held[std::size_t(comm.rank())]);
            });
            for (const Rank rank : visible(ranks)) {
                std::int64_t columns = 0;
                for (std::int64_t j = 0; j < ny; ++j)
                    for (std::int64_t i = 0; i < nx; ++i)
                        for (Rank other = 0; other < ranks; ++other)
                            if (other != rank && need_of(reach, rank, j, i).is_own &&
                                need_of(reach, other, j, i).is_kept &&
                                (!on_demand || wants(other, j, i)))
                                ++columns;
                const ColumnTraffic& sent = held[std::size_t(rank)].traffic;
                CHECK_EQ(sent.bytes - sent.request_bytes, columns * depth * 8);
                const ColumnHalo halo(reach, rank);
                CHECK_EQ(sent.request_messages,
                         on_demand ? std::int64_t(halo.incoming().size()) : 0);
            }
        }
    }
}

TEST_CASE("columns are gathered in the order of the grid") {
    for (const Case& one : cases) {
        const Reach reach = reach_of(one);
        for (const Rank ranks : runnable({reach.grid.ranks()})) {
            std::vector<double> all;
            const auto gather = [&](Comm& comm) -> Task {
                const std::vector<double> own = own_values(reach, comm.rank());
                std::vector<double> result;
                co_await gather_columns(comm, reach.grid, own, depth, result);
                if (comm.rank() == 0) all = std::move(result);
            };
            run_ranks(ranks, gather);
            if (visible(ranks).front() != 0) continue;
            bool is_right = std::int64_t(all.size()) == nx * ny * depth;
            for (std::size_t n = 0; is_right && n < all.size(); ++n) is_right = all[n] == double(n);
            CHECK(is_right);
        }
    }
}

/// Halo: every halo cell, including corners, equals the periodic field, for any width up to the
/// domain.
#include "tradewind/skeleton/halo.hpp"

#include "comm/counting_comm.hpp"
#include "testing.hpp"
#include "tradewind/comm/catalogue.hpp"

using namespace tradewind;
using namespace tradewind::skeleton;

namespace {

struct Case {
    Extents grid;
    ProcessGrid processes;
    std::int64_t width;
};

const Case cases[] = {
    {{12, 12, 2}, {3, 3}, 1},   // thin
    {{12, 12, 2}, {3, 3}, 4},   // exactly the neighbour
    {{12, 12, 2}, {3, 3}, 5},   // also the neighbour's neighbour, from both sides
    {{13, 11, 3}, {5, 4}, 7},   // uneven parts, several neighbours
    {{13, 11, 1}, {5, 4}, 11},  // the whole of y
    {{7, 7, 2}, {7, 7}, 7},     // single points, the whole domain
    {{9, 8, 2}, {1, 4}, 3},     // alone in x: copies
    {{9, 8, 2}, {4, 1}, 8},     // alone in y
    {{5, 6, 2}, {1, 1}, 5},     // no messages at all
    {{6, 9, 1}, {2, 2}, 4},     // the same neighbour on both sides
    {{10, 10, 1}, {2, 3}, 10},  // round to itself
};

Halo plan_of(const Case& one) {
    Halo plan;
    plan.grid = one.grid;
    plan.processes = one.processes;
    plan.width = one.width;
    return plan;
}

Rank ranks_of(const Halo& plan) {
    return plan.processes.cx * plan.processes.cy;
}

std::int64_t wrapped(std::int64_t position, std::int64_t points) {
    return (position % points + points) % points;
}

/// Calls visit(position in memory, number of the element in the periodic grid, true if `rank` owns
/// it).
void for_each_element(const Halo& plan, Rank rank, const auto& visit) {
    const Box box = halo_box(plan, rank);
    const Box own = owned_box(plan, rank);
    const auto inside = [&](std::size_t axis, std::int64_t at) {
        return at >= own.start[axis] && at < own.start[axis] + own.size[axis];
    };
    std::size_t position = 0;
    for (std::int64_t field = 0; field < plan.elements.fields; ++field) {
        for (std::int64_t k = 0; k < box.size[2]; ++k) {
            for (std::int64_t j = box.start[1]; j < box.start[1] + box.size[1]; ++j) {
                for (std::int64_t i = box.start[0]; i < box.start[0] + box.size[0]; ++i) {
                    const std::int64_t row =
                        (field * plan.grid[2] + k) * plan.grid[1] + wrapped(j, plan.grid[1]);
                    visit(position++, row * plan.grid[0] + wrapped(i, plan.grid[0]),
                          inside(0, i) && inside(1, j));
                }
            }
        }
    }
}

/// Returns fields in which owned points hold their number in the grid, and all others -1.
std::vector<LocalField> owned_indices(const Halo& plan) {
    std::vector<LocalField> fields(std::size_t(ranks_of(plan)));
    for (Rank rank = 0; rank < ranks_of(plan); ++rank) {
        auto& values = fields[std::size_t(rank)].values;
        values.resize(std::size_t(halo_box(plan, rank).points() * plan.elements.per_point()));
        for_each_element(plan, rank, [&](std::size_t position, std::int64_t number, bool owned) {
            const std::int64_t value = owned ? number : -1;
            std::memcpy(values.data() + position * sizeof value, &value, sizeof value);
        });
    }
    return fields;
}

/// Returns fields in which every point holds what it has after an exchange: its number in the grid,
/// or -1 in a corner without `corners` and beyond an end of a domain that is not periodic.
std::vector<LocalField> expected_indices(const Halo& plan) {
    std::vector<LocalField> fields(std::size_t(ranks_of(plan)));
    for (Rank rank = 0; rank < ranks_of(plan); ++rank) {
        const Box box = halo_box(plan, rank);
        const Box own = owned_box(plan, rank);
        auto& values = fields[std::size_t(rank)].values;
        values.resize(std::size_t(box.points() * plan.elements.per_point()));
        for_each_element(plan, rank, [&](std::size_t position, std::int64_t number, bool) {
            const auto in_layer = std::int64_t(position) % (box.size[0] * box.size[1]);
            const std::array<std::int64_t, 2> at{box.start[0] + in_layer % box.size[0],
                                                 box.start[1] + in_layer / box.size[0]};
            int axes_off = 0;
            bool is_beyond = false;
            for (const std::size_t axis : {0, 1}) {
                axes_off +=
                    at[axis] < own.start[axis] || at[axis] >= own.start[axis] + own.size[axis];
                is_beyond = is_beyond ||
                            (!plan.periodic[axis] && (at[axis] < 0 || at[axis] >= plan.grid[axis]));
            }
            const bool stays = is_beyond || (axes_off == 2 && !plan.corners);
            const std::int64_t value = stays ? -1 : number;
            std::memcpy(values.data() + position * sizeof value, &value, sizeof value);
        });
    }
    return fields;
}

/// Calls visit(plan) for a plan with every choice of periodic axes and of corners.
void for_each_shape(Halo plan, const auto& visit) {
    for (const bool x : {true, false}) {
        for (const bool y : {true, false}) {
            for (const bool corners : {true, false}) {
                plan.periodic = {x, y};
                plan.corners = corners;
                visit(plan);
            }
        }
    }
}

void check_halo(const Halo& plan, const std::vector<LocalField>& fields) {
    for (Rank rank = 0; rank < ranks_of(plan); ++rank) {
        CAPTURE(rank);
        const auto& values = fields[std::size_t(rank)].values;
        std::int64_t wrong = 0;
        for_each_element(plan, rank, [&](std::size_t position, std::int64_t number, bool) {
            wrong +=
                std::memcmp(values.data() + position * sizeof number, &number, sizeof number) == 0
                    ? 0
                    : 1;
        });
        CHECK_EQ(wrong, 0);
    }
}

Counts run(const Halo& plan, std::vector<LocalField>* fields) {
    const Program program = [&](Comm& comm) {
        return exchange_halo(comm, plan,
                             fields == nullptr ? nullptr : &(*fields)[std::size_t(comm.rank())]);
    };
    return run_counted(ranks_of(plan), program).total();
}

}  // namespace

TEST_CASE("every halo cell equals the periodic field, and null buffers change no message") {
    for (const Case& one : cases) {
        CAPTURE(one.grid[0], one.grid[1], one.grid[2], one.processes.cx, one.processes.cy,
                one.width);
        Halo plan = plan_of(one);
        for (const std::int64_t fields_moved : {1, 2}) {
            plan.elements.fields = fields_moved;
            plan.repeat = fields_moved;
            auto fields = owned_indices(plan);
            const auto real = run(plan, &fields);
            check_halo(plan, fields);
            const auto null = run(plan, nullptr);
            CHECK_EQ(null, real);
        }
    }
}

TEST_CASE("every algorithm of the neighbourhood exchange fills the halo, by every protocol") {
    for (const NeighborAlgorithm& algorithm : neighbor_algorithms()) {
        if (algorithm.prepare != nullptr) continue;
        for (const ProtocolEntry& protocol : protocols()) {
            for (const Case& one : cases) {
                CAPTURE(algorithm.name, protocol.name, one.grid[0], one.processes.cx, one.width);
                Halo plan = plan_of(one);
                plan.algorithm = &algorithm;
                if (algorithm.has_protocols) plan.options.protocol = protocol.protocol;
                auto fields = owned_indices(plan);
                const auto real = run(plan, &fields);
                check_halo(plan, fields);
                CHECK_EQ(run(plan, nullptr), real);
            }
            if (!algorithm.has_protocols) break;
        }
    }
}

TEST_CASE("halos with and without corners and periodic axes fill what they should, no more") {
    for (const Case& one : cases) {
        for (const bool by_algorithm : {false, true}) {
            for_each_shape(plan_of(one), [&](Halo plan) {
                CAPTURE(one.grid[0], one.grid[1], one.processes.cx, one.processes.cy, one.width,
                        plan.periodic[0], plan.periodic[1], plan.corners, by_algorithm);
                if (by_algorithm) {
                    plan.algorithm = &find_algorithm(neighbor_algorithms(), "neighbor", "pairwise");
                }
                plan.elements.fields = 2;
                auto fields = owned_indices(plan);
                const auto real = run(plan, &fields);
                const auto expected = expected_indices(plan);
                for (std::size_t rank = 0; rank < fields.size(); ++rank)
                    CHECK(fields[rank].values == expected[rank].values);
                CHECK_EQ(run(plan, nullptr), real);
                const Estimate sent = estimate(plan, ranks_of(plan));
                CHECK_EQ(sent.messages, double(real.messages));
                CHECK_EQ(sent.bytes, double(real.bytes));
            });
        }
    }
}

TEST_CASE("ends of the domain and missing corners save their messages and bytes") {
    // 3 x 3 parts of 4 x 3 points, width 2, 40 bytes a column of 5 levels.
    Halo plan = plan_of({{12, 9, 5}, {3, 3}, 2});
    plan.corners = false;
    CHECK_EQ(run(plan, nullptr).bytes, 9 * (2 * 2 * 3 + 2 * 2 * 4) * 40);
    plan.periodic = {false, true};
    CHECK_EQ(run(plan, nullptr).messages, 2 * 2 * 3 + 9 * 2);
    CHECK_EQ(run(plan, nullptr).bytes, (4 * 3 * 2 * 3 + 9 * 2 * 2 * 4) * 40);
    plan.corners = true;
    // Of the halo in x, the sweep along y has 2 columns at the ends of the domain and 4 within.
    CHECK_EQ(run(plan, nullptr).bytes, (4 * 3 * 2 * 3 + 3 * 2 * 2 * (6 + 8 + 6)) * 40);
}

TEST_CASE("the process grid that sends least is found among all") {
    const Case grids[] = {{{28800, 14400, 1}, {1, 1}, 3},
                          {{60, 400, 2}, {1, 1}, 5},
                          {{97, 89, 1}, {1, 1}, 1},
                          {{100, 100, 1}, {1, 1}, 1}};
    for (const Case& one : grids) {
        for (const Rank ranks : {1, 2, 6, 60, 96, 100}) {
            for_each_shape(plan_of(one), [&](Halo plan) {
                CAPTURE(one.grid[0], one.grid[1], ranks, plan.periodic[0], plan.corners);
                const ProcessGrid best = least_process_grid(plan, ranks);
                plan.processes = best;
                const double least = estimate(plan, ranks).bytes;
                CHECK_EQ(best.cx * best.cy, ranks);
                for (Rank cx = 1; cx <= ranks; ++cx) {
                    plan.processes = {cx, ranks / cx};
                    if (ranks % cx != 0 || !halo_limits(plan.grid).allow(plan.processes)) continue;
                    CHECK(estimate(plan, ranks).bytes >= least);
                }
            });
        }
    }
    // Cut across the open axis, two ranks exchange once instead of twice.
    Halo open = plan_of({{100, 100, 1}, {1, 1}, 1});
    open.periodic = {false, true};
    CHECK(least_process_grid(open, 2) == ProcessGrid({2, 1}));
    open.periodic = {true, false};
    CHECK(least_process_grid(open, 2) == ProcessGrid({1, 2}));
    CHECK(least_process_grid(plan_of({{28800, 14400, 1}, {1, 1}, 3}), 10'000) ==
          ProcessGrid({125, 80}));
    CHECK_THROWS_AS((void)least_process_grid(plan_of({{3, 3, 1}, {1, 1}, 1}), 16), ConfigError);
}

TEST_CASE("a halo within the neighbours takes four messages per rank") {
    const auto traffic = run(plan_of({{12, 9, 5}, {3, 3}, 2}), nullptr);
    CHECK_EQ(traffic.messages, 4 * 9);
    CHECK_EQ(traffic.bytes, 9 * (2 * 2 * 3 + 2 * 2 * (4 + 2 * 2)) * 5 * 8);
}

TEST_CASE("a halo beyond the neighbours takes one message from each owner") {
    // Parts of 2 points in x: widths 1..2, 3..4, 5..6 need 1, 2, 3 owners per side.
    for (const std::int64_t width : {1, 2, 3, 4, 5, 6}) {
        CAPTURE(width);
        const auto traffic = run(plan_of({{16, 8, 1}, {8, 1}, width}), nullptr);
        CHECK_EQ(traffic.messages, 8 * 2 * ((width + 1) / 2));
        CHECK_EQ(traffic.bytes, 8 * 2 * width * 8 * 8);
    }
}

TEST_CASE("a rank that is alone copies and sends nothing") {
    CHECK_EQ(run(plan_of({{5, 6, 2}, {1, 1}, 5}), nullptr).messages, 0);
    // With one rank in x only the y sweep sends.
    CHECK_EQ(run(plan_of({{9, 8, 2}, {1, 4}, 2}), nullptr).messages, 8);
}

TEST_CASE("the width may not exceed the domain") {
    check_halo_width(7, {7, 9, 1});
    CHECK_THROWS_AS(check_halo_width(8, {7, 9, 1}), ConfigError);
    CHECK_THROWS_AS(check_halo_width(0, {7, 9, 1}), ConfigError);
}

TEST_CASE("a halo field of the wrong size is refused") {
    std::vector<LocalField> fields(9);
    CHECK_THROWS_AS(run(plan_of(cases[0]), &fields), ConfigError);
}

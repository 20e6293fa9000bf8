/// Halo: every halo cell, including corners, equals the periodic field, for any width up to the
/// domain.
#include "tradewind/skeleton/halo.hpp"

#include "comm/counting_comm.hpp"
#include "testing.hpp"

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

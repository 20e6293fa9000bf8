/// Transposition: every element arrives at its place in the partition, and null buffers change no
/// message.
#include "tradewind/skeleton/transposition.hpp"

#include <algorithm>

#include "comm/counting_comm.hpp"
#include "testing.hpp"
#include "tradewind/simcomm/virtual_ranks.hpp"

using namespace tradewind;
using namespace tradewind::skeleton;

namespace {

struct Case {
    Extents grid;
    ProcessGrid processes;
};

const Case cases[] = {
    {{8, 6, 4}, {2, 3}}, {{7, 5, 3}, {3, 2}},  {{7, 5, 3}, {2, 5}},
    {{5, 7, 6}, {1, 4}}, {{9, 7, 11}, {7, 1}}, {{11, 6, 5}, {4, 5}},
    {{4, 4, 4}, {4, 4}}, {{3, 2, 5}, {1, 1}},  {{13, 12, 6}, {5, 3}},
};

Transposition plan_of(const Case& one, const AlltoallvAlgorithm& algorithm) {
    Transposition plan;
    plan.grid = one.grid;
    plan.processes = one.processes;
    plan.algorithm = &algorithm;
    plan.options.radix = std::max<std::int64_t>(algorithm.default_radix, 1);
    return plan;
}

Rank ranks_of(const Transposition& plan) {
    return plan.processes.cx * plan.processes.cy;
}

/// Calls visit(position in memory, number of the element in the whole grid) for all elements in
/// `box`.
void for_each_element(const Transposition& plan, const Box& box, const auto& visit) {
    std::size_t position = 0;
    for (std::int64_t field = 0; field < plan.elements.fields; ++field) {
        for (std::int64_t k = 0; k < box.size[2]; ++k) {
            for (std::int64_t j = 0; j < box.size[1]; ++j) {
                for (std::int64_t i = 0; i < box.size[0]; ++i) {
                    const Extents at{box.start[0] + i, box.start[1] + j, box.start[2] + k};
                    const std::int64_t level = field * plan.grid[2] + at[2];
                    visit(position++, (level * plan.grid[1] + at[1]) * plan.grid[0] + at[0]);
                }
            }
        }
    }
}

std::vector<LocalField> global_indices(const Transposition& plan, Space space = Space::a) {
    std::vector<LocalField> fields(std::size_t(ranks_of(plan)));
    for (Rank rank = 0; rank < ranks_of(plan); ++rank) {
        const Box box = transposed_box(plan, rank, space);
        auto& values = fields[std::size_t(rank)].values;
        values.resize(std::size_t(box.points() * plan.elements.per_point()));
        for_each_element(plan, box, [&](std::size_t position, std::int64_t number) {
            std::memcpy(values.data() + position * sizeof number, &number, sizeof number);
        });
    }
    return fields;
}

/// Checks that each rank holds exactly its part of `space`.
void check_partition(const Transposition& plan, const std::vector<LocalField>& fields,
                     Space space) {
    for (Rank rank = 0; rank < ranks_of(plan); ++rank) {
        CAPTURE(rank);
        const Box box = transposed_box(plan, rank, space);
        const auto& values = fields[std::size_t(rank)].values;
        CHECK_EQ(Bytes(values.size()), box.points() * plan.elements.per_point());
        std::int64_t wrong = 0;
        for_each_element(plan, box, [&](std::size_t position, std::int64_t number) {
            wrong +=
                std::memcmp(values.data() + position * sizeof number, &number, sizeof number) == 0
                    ? 0
                    : 1;
        });
        CHECK_EQ(wrong, 0);
    }
}

Counts run(const Transposition& plan, std::vector<LocalField>* fields) {
    std::vector<std::unique_ptr<CountingComm>> comms(std::size_t(ranks_of(plan)));
    simcomm::run_virtual(ranks_of(plan), [&](Comm& comm) {
        const auto rank = std::size_t(comm.rank());
        comms[rank] = std::make_unique<CountingComm>(comm);
        return transpose(*comms[rank], plan, fields == nullptr ? nullptr : &(*fields)[rank]);
    });
    Counts sum;
    for (const auto& comm : comms) sum = sum + comm->counts();
    return sum;
}

}  // namespace

TEST_CASE("every space holds every point exactly once, cut as in figure 3 of zheng2018") {
    for (const Case& one : cases) {
        const Transposition plan = plan_of(one, alltoallv_algorithms()[0]);
        CAPTURE(one.grid[0], one.grid[1], one.grid[2], one.processes.cx, one.processes.cy);
        const std::size_t whole[] = {2, 0, 1, 2};
        for (const Space space : {Space::a, Space::b, Space::c, Space::d}) {
            std::vector<int> held(std::size_t(one.grid[0] * one.grid[1] * one.grid[2]));
            for (Rank rank = 0; rank < ranks_of(plan); ++rank) {
                const Box box = transposed_box(plan, rank, space);
                CHECK_EQ(box.size[whole[std::size_t(space)]], one.grid[whole[std::size_t(space)]]);
                for_each_element(plan, box, [&](std::size_t, std::int64_t number) {
                    ++held[std::size_t(number)];
                });
            }
            CHECK_EQ(std::ranges::count(held, 1), std::ssize(held));
        }
    }
}

TEST_CASE("every algorithm brings every element from grid space to spectral space") {
    for (const AlltoallvAlgorithm& algorithm : alltoallv_algorithms()) {
        for (const Case& one : cases) {
            CAPTURE(algorithm.name, one.grid[0], one.grid[1], one.grid[2], one.processes.cx,
                    one.processes.cy);
            const Transposition plan = plan_of(one, algorithm);
            auto fields = global_indices(plan);
            const auto real = run(plan, &fields);
            check_partition(plan, fields, Space::d);
            const auto null = run(plan, nullptr);
            CHECK_EQ(null, real);
        }
    }
}

TEST_CASE("the way back restores grid space, also for several fields and repetitions") {
    for (const Case& one : cases) {
        CAPTURE(one.grid[0], one.grid[1], one.grid[2], one.processes.cx, one.processes.cy);
        Transposition plan = plan_of(one, alltoallv_algorithm("ring_k"));
        plan.elements.fields = 3;
        plan.backward = true;
        plan.repeat = 2;
        auto fields = global_indices(plan);
        const auto real = run(plan, &fields);
        check_partition(plan, fields, Space::a);
        CHECK_EQ(run(plan, nullptr), real);
    }
}

TEST_CASE("single stages move what they move within the chain") {
    for (const Case& one : cases) {
        CAPTURE(one.grid[0], one.grid[1], one.grid[2], one.processes.cx, one.processes.cy);
        Transposition plan = plan_of(one, alltoallv_algorithm("ring_k"));
        const Counts chain = run(plan, nullptr);
        Counts sum;
        for (const Space before : {Space::a, Space::b, Space::c}) {
            plan.only_stage = std::int64_t(before);
            auto fields = global_indices(plan, before);
            sum = sum + run(plan, &fields);
            check_partition(plan, fields, Space(plan.only_stage + 1));
        }
        CHECK_EQ(sum, chain);
    }
}

TEST_CASE("several fields move together in the messages of one") {
    Transposition plan = plan_of({{7, 5, 6}, {3, 2}}, alltoallv_algorithm("ring_k"));
    const auto one = run(plan, nullptr);
    plan.elements.fields = 4;
    auto fields = global_indices(plan);
    const auto four = run(plan, &fields);
    check_partition(plan, fields, Space::d);
    CHECK_EQ(four.messages, one.messages);
    CHECK_EQ(four.bytes, 4 * one.bytes);
}

TEST_CASE("a direct algorithm moves all but the own block in c - 1 messages per stage") {
    const Transposition plan = plan_of({{12, 12, 12}, {3, 4}}, alltoallv_algorithm("burst"));
    const auto traffic = run(plan, nullptr);
    const Bytes all = 12 * 12 * 12 * 8;
    CHECK_EQ(traffic.messages, 12 * (2 + 3 + 2));
    CHECK_EQ(traffic.bytes, all * 2 / 3 + all * 3 / 4 + all * 2 / 3);
}

TEST_CASE("blocks of both ends agree and fill both buffers without gaps") {
    const Partition senders(13, 5);
    const Partition receivers(7, 5);
    for (Rank me = 0; me < 5; ++me) {
        const SlabBlocks mine(senders, receivers, 24, me);
        Bytes sent = 0;
        Bytes received = 0;
        for (Rank other = 0; other < 5; ++other) {
            const SlabBlocks theirs(senders, receivers, 24, other);
            CHECK_EQ(mine.send_size(other), theirs.receive_size(me));
            CHECK_EQ(mine.between(me, other), mine.send_size(other));
            CHECK_EQ(mine.send_offset(other), sent);
            CHECK_EQ(mine.receive_offset(other), received);
            sent += mine.send_size(other);
            received += mine.receive_size(other);
        }
        CHECK_EQ(sent, senders.size(me) * 7 * 24);
        CHECK_EQ(received, 13 * receivers.size(me) * 24);
    }
}

TEST_CASE("a field of the wrong size is refused") {
    const Transposition plan = plan_of({{8, 6, 4}, {2, 3}}, alltoallv_algorithm("ring_k"));
    std::vector<LocalField> fields(6);
    CHECK_THROWS_AS(run(plan, &fields), ConfigError);
}

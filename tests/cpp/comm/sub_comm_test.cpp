/// SubComm: operations on rows, columns, nested and split communicators do not interfere with
/// others.
#include "tradewind/comm/sub_comm.hpp"

#include <set>

#include "algorithm_cases.hpp"
#include "tradewind/comm/allreduce/allreduce.hpp"
#include "tradewind/comm/alltoallv/alltoallv.hpp"
#include "tradewind/comm/catalogue.hpp"

using namespace tradewind;

namespace {

using Words = std::vector<std::int64_t>;

Buffer buffer(std::int64_t& word) {
    return Buffer(std::span<std::int64_t>(&word, 1));
}

/// The data of a rank of the world for an exchange in its row or column: one word for each member.
struct Member {
    Words send;
    Words receive;
    /// The word that arrived from the left neighbour in the world during the exchange in the row.
    std::int64_t from_world = -1;
};

/// Sends 1000 * (own world rank) + i to member i of the group.
Task exchange_words(Comm& world, Comm& group, std::string_view algorithm, Member& member) {
    member.send.clear();
    for (Rank i = 0; i < group.size(); ++i) member.send.push_back(1000 * world.rank() + i);
    member.receive.assign(std::size_t(group.size()), -1);
    const UniformBlocks blocks(8);
    const Alltoallv data{Buffer(std::span(member.send)), Buffer(std::span(member.receive)),
                         &blocks};
    co_await alltoallv_algorithm(algorithm).run(group, data, {.radix = 2});
}

/// Exchanges words in the row between the send and the receive of a message of the world with the
/// same tag, between ranks that are neighbours in both.
Task exchange_beside_world(Comm& world, Rank columns, std::string_view algorithm, Member& member) {
    SubComm row = row_of(world, columns);
    std::int64_t mine = -7 - world.rank();
    const Rank right = (world.rank() + 1) % world.size();
    const Rank left = (world.rank() + world.size() - 1) % world.size();
    Request sent = world.isend(right, buffer(mine), tags::alltoallv);
    co_await exchange_words(world, row, algorithm, member);
    co_await world.recv(left, buffer(member.from_world), tags::alltoallv);
    co_await world.wait(sent);
}

Task exchange_in_column(Comm& world, Rank columns, std::string_view algorithm, Member& member) {
    SubComm column = column_of(world, columns);
    co_await exchange_words(world, column, algorithm, member);
}

/// Sums over halves of every second rank of the world, both made by strides.
Task sum_in_nested(Comm& world, double& result) {
    SubComm parity = world.strided(world.rank() % 2, 2, (world.size() - world.rank() % 2 + 1) / 2);
    const Rank half = parity.size() / 2;
    const bool upper = parity.rank() >= half;
    SubComm nested = parity.strided(upper ? half : 0, 1, upper ? parity.size() - half : half);
    result = double(world.rank());
    const Allreduce vector{Buffer(std::span<double>(&result, 1)), sum<double>()};
    co_await allreduce_algorithm("recursive_k").run(nested, vector, {.radix = 3});
}

/// Sends messages in two communicators of the same ranks; the message of the second one arrives
/// first.
Task send_in_siblings(Comm& world, Words& received) {
    SubComm first = world.strided(0, 1, world.size());
    SubComm second = world.strided(0, 1, world.size());
    std::int64_t one = 1;
    std::int64_t two = 2;
    if (world.rank() == 0) {
        co_await second.send(1, buffer(two), 5);
        co_await first.send(1, buffer(one), 5);
    } else {
        co_await first.recv(0, buffer(received[0]), 5);
        co_await second.recv(0, buffer(received[1]), 5);
    }
}

struct Splitting {
    Rank rank = -1;
    Words members;
    double sum = 0.0;
};

/// Splits the world into three colours in reverse order, and sums over the resulting communicator.
Task split_backwards(Comm& world, Splitting& result) {
    std::unique_ptr<SubComm> part;
    co_await split(world, world.rank() % 3, -world.rank(), part);
    result.rank = part->rank();
    for (Rank i = 0; i < part->size(); ++i) result.members.push_back(part->parent_rank(i));
    result.sum = double(world.rank());
    const Allreduce vector{Buffer(std::span<double>(&result.sum, 1)), sum<double>()};
    co_await allreduce_algorithm("rabenseifner").run(*part, vector, {});
}

/// Exchanges words in a row of a split communicator.
Task split_then_row(Comm& world, Member& member) {
    std::unique_ptr<SubComm> part;
    co_await split(world, world.rank() / 4, world.rank(), part);
    SubComm row = row_of(*part, 2);
    co_await exchange_words(world, row, "burst", member);
}

/// A grid of ranks and an algorithm.
struct Grid {
    const AlltoallvAlgorithm& algorithm;
    Rank columns;
    Rank ranks;
};

std::vector<Grid> grids(const std::vector<std::pair<Rank, Rank>>& shapes) {
    std::vector<Grid> result;
    for (const AlltoallvAlgorithm& algorithm : alltoallv_algorithms()) {
        for (const auto& [columns, ranks] : shapes) {
            if (!runnable({ranks}).empty()) result.push_back({algorithm, columns, ranks});
        }
    }
    return result;
}

Task only_strided(Comm& world, Rank first, Rank stride, Rank count) {
    const SubComm part = world.strided(first, stride, count);
    CHECK(part.size() == count);
    co_return;
}

}  // namespace

TEST_CASE("an alltoallv in rows does not take the world's messages, even of the same tag") {
    for (const auto& [algorithm, columns, ranks] : grids({{5, 15}, {2, 4}, {3, 6}, {4, 8}})) {
        CAPTURE(algorithm.name, columns, ranks);
        std::vector<Member> members(static_cast<std::size_t>(ranks));
        run_ranks(ranks, [&, columns = columns](Comm& comm) {
            return exchange_beside_world(comm, columns, algorithm.name,
                                         members[std::size_t(comm.rank())]);
        });
        for (const Rank r : visible(ranks)) {
            const Member& member = members[std::size_t(r)];
            CHECK_EQ(member.from_world, -7 - (r + ranks - 1) % ranks);
            for (Rank i = 0; i < columns; ++i) {
                CHECK_EQ(member.receive[std::size_t(i)],
                         1000 * (r / columns * columns + i) + r % columns);
            }
        }
    }
}

TEST_CASE("an alltoallv in columns reaches the ranks of the column") {
    for (const auto& [algorithm, columns, ranks] : grids({{3, 12}, {2, 4}, {3, 6}, {4, 8}})) {
        CAPTURE(algorithm.name, columns, ranks);
        std::vector<Member> members(static_cast<std::size_t>(ranks));
        run_ranks(ranks, [&, columns = columns](Comm& comm) {
            return exchange_in_column(comm, columns, algorithm.name,
                                      members[std::size_t(comm.rank())]);
        });
        for (const Rank r : visible(ranks)) {
            for (Rank i = 0; i < ranks / columns; ++i) {
                const std::int64_t word = members[std::size_t(r)].receive[std::size_t(i)];
                CHECK_EQ(word, 1000 * (i * columns + r % columns) + r / columns);
            }
        }
    }
}

TEST_CASE("a sub-communicator of a sub-communicator reduces over its own ranks only") {
    struct Case {
        Rank ranks;
        std::vector<double> sums;
    };
    for (const auto& [ranks, expected] :
         {Case{11, {6, 4, 6, 4, 6, 21, 24, 21, 24, 21, 24}},  // 0 2 4 | 6 8 10 and 1 3 | 5 7 9
          Case{8, {2, 4, 2, 4, 10, 12, 10, 12}}}) {           // 0 2 | 4 6 and 1 3 | 5 7
        if (runnable({ranks}).empty()) continue;
        std::vector<double> sums(expected.size());
        run_ranks(ranks,
                  [&](Comm& comm) { return sum_in_nested(comm, sums[std::size_t(comm.rank())]); });
        share_all(sums);
        CHECK(sums == expected);
    }
}

TEST_CASE("messages of two communicators of the same ranks do not mix") {
    for (const Rank ranks : runnable({2})) {
        Words received{-1, -1};
        run_ranks(ranks, [&](Comm& comm) { return send_in_siblings(comm, received); });
        share(ranks, 1, Buffer(std::span(received)));
        CHECK(received == Words{1, 2});
    }
}

TEST_CASE("split orders each colour by its keys and keeps the colours apart") {
    for (const Rank ranks : runnable({1, 3, 8, 13})) {
        CAPTURE(ranks);
        std::vector<Splitting> results(static_cast<std::size_t>(ranks));
        run_ranks(ranks, [&](Comm& comm) {
            return split_backwards(comm, results[std::size_t(comm.rank())]);
        });
        for (const Rank r : visible(ranks)) {
            Words members;
            double sum = 0.0;
            for (Rank other = ranks - 1; other >= 0; --other) {
                if (other % 3 != r % 3) continue;
                members.push_back(other);
                sum += double(other);
            }
            const Splitting& result = results[std::size_t(r)];
            CHECK(result.members == members);
            CHECK_EQ(members[std::size_t(result.rank)], r);
            CHECK_EQ(result.sum, sum);
        }
    }
}

TEST_CASE("rows of a split communicator carry an alltoallv") {
    for (const Rank ranks : runnable({4, 8})) {
        std::vector<Member> members(8);
        run_ranks(ranks, [&](Comm& comm) {
            return split_then_row(comm, members[std::size_t(comm.rank())]);
        });
        for (const Rank r : visible(ranks)) {
            const Rank first = r / 2 * 2;
            CHECK(members[std::size_t(r)].receive ==
                  Words{1000 * first + r % 2, 1000 * (first + 1) + r % 2});
        }
    }
}

TEST_CASE("a sub-communicator refuses ranks that do not exist and callers outside") {
    if (!ranks_are_virtual()) return;
    const auto run = [](Rank first, Rank stride, Rank count) {
        return config_error([&] {
            run_ranks(4, [&](Comm& comm) { return only_strided(comm, first, stride, count); });
        });
    };
    CHECK(says(run(0, 2, 3), "do not lie in 0..3"));
    CHECK(says(run(0, 1, 0), "do not lie in 0..3"));
    CHECK(says(run(1, 1, 3), "rank 0 is not one of the 3 ranks"));
    CHECK(run(3, -1, 4).empty());
}

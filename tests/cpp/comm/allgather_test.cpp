/// Every allgather algorithm: payload, number of messages and bytes, errors.
#include "tradewind/comm/allgather/allgather.hpp"

#include "block_cases.hpp"

using namespace tradewind;

namespace {

std::vector<std::uint32_t> numbers_of(Rank rank, std::size_t words) {
    std::vector<std::uint32_t> block(words);
    for (std::size_t i = 0; i < words; ++i) block[i] = std::uint32_t(mix(std::uint64_t(rank), i));
    return block;
}

void check_counts(const AllgatherAlgorithm& algorithm, Counts sent, Rank ranks, std::int64_t radix,
                  Bytes size) {
    check_totals(algorithm, sent, ranks, radix, size);
}

void check_allgather(const AllgatherAlgorithm& algorithm, Options options, Rank ranks,
                     std::size_t words) {
    std::vector<std::vector<std::uint32_t>> mine;
    std::vector<std::uint32_t> expected;
    for (Rank r = 0; r < ranks; ++r) {
        mine.push_back(numbers_of(r, words));
        expected.insert(expected.end(), mine.back().begin(), mine.back().end());
    }
    std::vector<std::vector<std::uint32_t>> all(mine.size(),
                                                std::vector<std::uint32_t>(expected.size()));
    const Sent sent = run_counted(ranks, [&](Comm& comm) {
        const auto r = std::size_t(comm.rank());
        const Allgather data{Buffer(std::span(mine[r])), Buffer(std::span(all[r]))};
        return algorithm.run(comm, data, options);
    });
    share_all(all);
    for (const auto& result : all) CHECK(result == expected);
    check_counts(algorithm, sent.total(), ranks, options.radix,
                 Bytes(words * sizeof(std::uint32_t)));
}

void check_uneven_allgather(const AllgatherAlgorithm& algorithm, Rank ranks,
                            const BlockCase& made) {
    const RankBlocks blocks = made.blocks();
    Vector expected = all_blocks_of(made, ranks);
    expected.push_back(-1.0);
    std::vector<Vector> all(std::size_t(ranks), Vector(expected.size(), -1.0));
    const Sent sent = run_counted(ranks, [&](Comm& comm) -> Task {
        Vector mine = block_of(made, comm.rank());
        mine.push_back(0.0);
        const Allgather data{buffer_of(mine, blocks.size(comm.rank())),
                             buffer_of(all[std::size_t(comm.rank())], blocks.offset(ranks)),
                             blocks};
        co_await algorithm.run(comm, data, {});
    });
    share_all(all);
    for (const Vector& result : all) CHECK(result == expected);
    check_totals(algorithm, sent.total(), ranks, 2, blocks);
}

}  // namespace

TEST_CASE(
    "every allgather gives every rank all blocks, with as many messages and bytes as its formula "
    "says") {
    for (const AllgatherAlgorithm& algorithm : allgather_algorithms()) {
        for (const Rank ranks : rank_counts()) {
            for (const Options& options : option_sets(algorithm, ranks)) {
                for (const std::size_t words : {1, 7}) {
                    CAPTURE(algorithm.name, ranks, options.radix, words);
                    check_allgather(algorithm, options, ranks, words);
                }
            }
        }
    }
}

TEST_CASE("every allgather gathers empty blocks and blocks beyond the eager limit") {
    for (const AllgatherAlgorithm& algorithm : allgather_algorithms()) {
        for (const Rank ranks : runnable({1, 2, 5, 8, 11})) {
            for (const std::size_t words : {0, 400}) {
                CAPTURE(algorithm.name, ranks, words);
                check_allgather(algorithm, {.radix = 2}, ranks, words);
            }
        }
    }
}

TEST_CASE(
    "every allgather gathers blocks of any sizes, with as many messages and bytes as its formula "
    "says") {
    for (const AllgatherAlgorithm& algorithm : allgather_algorithms()) {
        for (const Rank ranks : rank_counts()) {
            for (const BlockCase& made : block_cases(ranks)) {
                CAPTURE(algorithm.name, ranks, made.name);
                check_uneven_allgather(algorithm, ranks, made);
            }
        }
    }
}

TEST_CASE("without data an allgather of blocks of any sizes sends the same messages") {
    for (const AllgatherAlgorithm& algorithm : allgather_algorithms()) {
        for (const Rank ranks : runnable({1, 2, 5, 16, 27})) {
            for (const BlockCase& made : block_cases(ranks)) {
                CAPTURE(algorithm.name, ranks, made.name);
                const RankBlocks blocks = made.blocks();
                const Sent sent = run_counted(ranks, [&](Comm& comm) {
                    const ConstBuffer mine(blocks.size(comm.rank()));
                    return algorithm.run(comm, {mine, Buffer(blocks.offset(ranks)), blocks}, {});
                });
                check_totals(algorithm, sent.total(), ranks, 2, blocks);
            }
        }
    }
}

TEST_CASE("without data an allgather sends the same messages") {
    for (const AllgatherAlgorithm& algorithm : allgather_algorithms()) {
        for (const Rank ranks : runnable({1, 2, 5, 16, 27})) {
            CAPTURE(algorithm.name, ranks);
            const Sent sent = run_counted(ranks, [&](Comm& comm) {
                return algorithm.run(comm, {ConstBuffer(24), Buffer(24 * comm.size())}, {});
            });
            check_counts(algorithm, sent.total(), ranks, Options{}.radix, 24);
        }
    }
}

TEST_CASE("every allgather refuses a result that has no room for all blocks") {
    for (const AllgatherAlgorithm& algorithm : allgather_algorithms()) {
        for (const Rank ranks : runnable({3, 4})) {
            CAPTURE(algorithm.name, ranks);
            const auto message = config_error([&] {
                run_ranks(ranks, [&](Comm& comm) {
                    return algorithm.run(comm, {ConstBuffer(8), Buffer(20)}, {});
                });
            });
            CHECK(says(message, "allgather"));
            CHECK(says(message, "20 bytes"));
        }
    }
}

TEST_CASE("every allgather refuses a block of another size than all ranks were told") {
    const std::vector<Bytes> offsets{0, 8, 24, 24};
    const RankBlocks blocks{std::span<const Bytes>(offsets)};
    for (const AllgatherAlgorithm& algorithm : allgather_algorithms()) {
        for (const Rank ranks : runnable({3, 4})) {
            CAPTURE(algorithm.name, ranks);
            const auto message = config_error([&] {
                run_ranks(ranks, [&](Comm& comm) {
                    return algorithm.run(comm, {ConstBuffer(12), Buffer(24), blocks}, {});
                });
            });
            CHECK(says(message, "allgather"));
            CHECK(says(message, ranks == 3 ? "its buffer has 12" : "4 offsets"));
        }
    }
}

TEST_CASE("an allgather refuses a radix below its smallest") {
    const auto run = [&](const AllgatherAlgorithm& algorithm, Options options) {
        run_ranks(some_ranks(4), [&](Comm& comm) {
            return algorithm.run(comm, {ConstBuffer(8), Buffer(8 * comm.size())}, options);
        });
    };
    check_refuses_small_radix("allgather", allgather_algorithms(), run);
}

TEST_CASE("an unknown allgather is refused with the names of the known ones") {
    check_lookup(allgather_algorithms(), allgather_algorithm);
}

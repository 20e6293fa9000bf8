/// Every scatter algorithm: blocks of equal and of any sizes from every root, number of messages
/// and bytes, errors.
#include "tradewind/comm/scatter/scatter.hpp"

#include "block_cases.hpp"

using namespace tradewind;

namespace {

void check_scatter(const ScatterAlgorithm& algorithm, Rank ranks, Rank root,
                   const BlockCase& made) {
    std::vector<Vector> mine;
    for (Rank r = 0; r < ranks; ++r) mine.emplace_back(made.words(r) + 1, -1.0);
    const Sent sent = run_counted(ranks, [&](Comm& comm) -> Task {
        Vector all = all_blocks_of(made, ranks);
        all.push_back(0.0);
        const RankBlocks blocks = made.blocks();
        ConstBuffer whole;
        if (comm.rank() == root) whole = buffer_of(all, blocks.offset(ranks));
        const Buffer own = buffer_of(mine[std::size_t(comm.rank())], blocks.size(comm.rank()));
        co_await algorithm.run(comm, {whole, own, blocks, root}, {});
    });
    share_all(mine);
    for (Rank r = 0; r < ranks; ++r) {
        Vector expected = block_of(made, r);
        expected.push_back(-1.0);
        CHECK(mine[std::size_t(r)] == expected);
    }
    check_totals(algorithm, sent.total(), ranks, 2, made.blocks(), root);
}

/// Returns the error of a scatter among three ranks.
std::string error_of(const ScatterAlgorithm& algorithm, Bytes mine, Bytes all,
                     const RankBlocks& blocks, Rank root = 0) {
    return config_error([&] {
        run_ranks(some_ranks(3), [&](Comm& comm) {
            return algorithm.run(comm, {ConstBuffer(all), Buffer(mine), blocks, root}, {});
        });
    });
}

}  // namespace

TEST_CASE(
    "every scatter gives every rank its block, with as many messages and bytes as its formula "
    "says") {
    for (const ScatterAlgorithm& algorithm : scatter_algorithms()) {
        CAPTURE(algorithm.name);
        for_each_block_case(rank_counts(), [&](Rank ranks, Rank root, const BlockCase& made) {
            check_scatter(algorithm, ranks, root, made);
        });
    }
}

TEST_CASE("without data a scatter sends the same messages") {
    for (const ScatterAlgorithm& algorithm : scatter_algorithms()) {
        CAPTURE(algorithm.name);
        for_each_block_case(runnable({1, 2, 5, 16, 27}),
                            [&](Rank ranks, Rank root, const BlockCase& made) {
                                const RankBlocks blocks = made.blocks();
                                const Sent sent = run_counted(ranks, [&](Comm& comm) {
                                    const Buffer mine(blocks.size(comm.rank()));
                                    const ConstBuffer all(blocks.offset(ranks));
                                    return algorithm.run(comm, {all, mine, blocks, root}, {});
                                });
                                check_totals(algorithm, sent.total(), ranks, 2, blocks, root);
                            });
    }
}

TEST_CASE("in a binomial scatter of equal blocks the root sends to log2 P ranks") {
    if (!ranks_are_virtual()) return;
    const Sent sent = run_counted(8, [&](Comm& comm) {
        const RankBlocks blocks(100);
        return scatter_algorithm("binomial")
            .run(comm, {ConstBuffer(800), Buffer(100), blocks, 0}, {});
    });
    CHECK_EQ(sent.ranks[0], (Counts{3, 700}));
    CHECK_EQ(sent.ranks[4], (Counts{2, 300}));
    CHECK_EQ(sent.ranks[7], Counts{});
}

TEST_CASE("every scatter refuses wrong roots, buffers and offsets") {
    const RankBlocks blocks(8);
    const std::vector<Bytes> few{0, 8};
    const Rank ranks = some_ranks(3);
    for (const ScatterAlgorithm& algorithm : scatter_algorithms()) {
        CAPTURE(algorithm.name);
        const std::string name = "scatter " + std::string(algorithm.name);
        for (const Rank root : {Rank{-1}, ranks}) {
            const std::string error = error_of(algorithm, 8, 8 * ranks, blocks, root);
            CHECK(says(error, name));
            CHECK(says(error, "root " + std::to_string(root)));
        }
        CHECK(says(error_of(algorithm, 12, 8 * ranks, blocks), "its buffer has 12"));
        // Only the root can tell; real ranks would wait for it.
        if (ranks_are_virtual())
            CHECK(says(error_of(algorithm, 8, 20, blocks), "do not make 20 bytes"));
        if (ranks == 1) continue;
        const RankBlocks short_of_ranks{std::span<const Bytes>(few)};
        const std::string error = error_of(algorithm, 8, 24, short_of_ranks);
        CHECK(says(error, name));
        CHECK(says(error, "2 offsets"));
    }
}

TEST_CASE("an unknown scatter is refused with the names of the known ones") {
    check_lookup(scatter_algorithms(), scatter_algorithm);
}

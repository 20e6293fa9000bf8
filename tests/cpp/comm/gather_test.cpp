/// Every gather algorithm: blocks of equal and of any sizes at every root, number of messages and
/// bytes, errors.
#include "tradewind/comm/gather/gather.hpp"

#include "block_cases.hpp"

using namespace tradewind;

namespace {

void check_gather(const GatherAlgorithm& algorithm, Rank ranks, Rank root, const BlockCase& made) {
    Vector expected = all_blocks_of(made, ranks);
    expected.push_back(-1.0);
    std::vector<Vector> all(std::size_t(ranks), Vector(expected.size(), -1.0));
    const Sent sent = run_counted(ranks, [&](Comm& comm) -> Task {
        Vector mine = block_of(made, comm.rank());
        mine.push_back(0.0);
        const Bytes bytes = made.blocks().offset(ranks);
        Buffer result;
        if (comm.rank() == root) result = buffer_of(all[std::size_t(root)], bytes);
        const Buffer own = buffer_of(mine, made.blocks().size(comm.rank()));
        co_await algorithm.run(comm, {own, result, made.blocks(), root}, {});
    });
    share_all(all);
    CHECK(all[std::size_t(root)] == expected);
    check_totals(algorithm, sent.total(), ranks, 2, made.blocks(), root);
}

/// Returns the error of a gather among three ranks.
std::string error_of(const GatherAlgorithm& algorithm, Bytes mine, Bytes all,
                     const RankBlocks& blocks, Rank root = 0) {
    return config_error([&] {
        run_ranks(some_ranks(3), [&](Comm& comm) {
            return algorithm.run(comm, {ConstBuffer(mine), Buffer(all), blocks, root}, {});
        });
    });
}

}  // namespace

TEST_CASE(
    "every gather gives the root all blocks in the order of the ranks, with as many messages and "
    "bytes as its formula says") {
    for (const GatherAlgorithm& algorithm : gather_algorithms()) {
        CAPTURE(algorithm.name);
        for_each_block_case(rank_counts(), [&](Rank ranks, Rank root, const BlockCase& made) {
            check_gather(algorithm, ranks, root, made);
        });
    }
}

TEST_CASE("without data a gather sends the same messages") {
    for (const GatherAlgorithm& algorithm : gather_algorithms()) {
        CAPTURE(algorithm.name);
        for_each_block_case(runnable({1, 2, 5, 16, 27}), [&](Rank ranks, Rank root,
                                                             const BlockCase& made) {
            const RankBlocks blocks = made.blocks();
            const Sent sent = run_counted(ranks, [&](Comm& comm) {
                const ConstBuffer mine(blocks.size(comm.rank()));
                return algorithm.run(comm, {mine, Buffer(blocks.offset(ranks)), blocks, root}, {});
            });
            check_totals(algorithm, sent.total(), ranks, 2, blocks, root);
        });
    }
}

TEST_CASE("in a binomial gather of equal blocks every rank sends one message") {
    const Sent sent = run_counted(some_ranks(8), [&](Comm& comm) {
        const RankBlocks blocks(100);
        return gather_algorithm("binomial")
            .run(comm, {ConstBuffer(100), Buffer(100 * comm.size()), blocks, 0}, {});
    });
    CHECK_EQ(sent.ranks[0].messages, 0);
    for (std::size_t r = 1; r < sent.ranks.size(); ++r) CHECK_EQ(sent.ranks[r].messages, 1);
    if (ranks_are_virtual()) CHECK_EQ(sent.ranks[4].bytes, 400);
}

TEST_CASE("every gather refuses wrong roots, buffers and offsets") {
    const RankBlocks blocks(8);
    const std::vector<Bytes> few{0, 8};
    const Rank ranks = some_ranks(3);
    for (const GatherAlgorithm& algorithm : gather_algorithms()) {
        CAPTURE(algorithm.name);
        const std::string name = "gather " + std::string(algorithm.name);
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

TEST_CASE("an unknown gather is refused with the names of the known ones") {
    check_lookup(gather_algorithms(), gather_algorithm);
}

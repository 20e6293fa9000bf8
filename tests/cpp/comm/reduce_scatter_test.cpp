/// Every reduce_scatter algorithm: blocks of equal and of any sizes, number of messages and bytes,
/// errors.
#include "tradewind/comm/reduce_scatter/reduce_scatter.hpp"

#include "block_cases.hpp"

using namespace tradewind;

namespace {

/// Returns the words of rank `r`'s block after the operation.
Vector own_words(const Vector& vector, const BlockCase& made, Rank r) {
    const auto begin = vector.begin() + std::ptrdiff_t(made.words_before(r));
    return {begin, begin + std::ptrdiff_t(made.words(r))};
}

template <class Operation>
void check_reduce_scatter(const ReduceScatterAlgorithm& algorithm, Rank ranks,
                          const BlockCase& made, Operation operation) {
    const std::size_t length = made.words_before(ranks);
    std::vector<Vector> vectors = whole_vectors(ranks, length);
    for (Vector& vector : vectors) vector.push_back(0.0);
    const RankBlocks blocks = made.blocks();
    const Sent sent = run_counted(ranks, [&](Comm& comm) {
        const Buffer own = buffer_of(vectors[std::size_t(comm.rank())], blocks.offset(ranks));
        return algorithm.run(comm, {own, reduction<double, Operation>(), blocks}, {});
    });
    share_all(vectors);
    const Vector expected = combined(ranks, length, operation);
    for (Rank r = 0; r < ranks; ++r) {
        CHECK(own_words(vectors[std::size_t(r)], made, r) == own_words(expected, made, r));
    }
    check_totals(algorithm, sent.total(), ranks, 2, blocks);
}

/// Returns the error of a reduce_scatter of `bytes` bytes among three ranks.
std::string error_of(const ReduceScatterAlgorithm& algorithm, Bytes bytes,
                     const RankBlocks& blocks) {
    return config_error([&] {
        run_ranks(some_ranks(3), [&](Comm& comm) {
            return algorithm.run(comm, {Buffer(bytes), sum<double>(), blocks}, {});
        });
    });
}

}  // namespace

TEST_CASE(
    "every reduce_scatter gives every rank its block of the sum, with as many messages and bytes "
    "as its formula says") {
    for (const ReduceScatterAlgorithm& algorithm : reduce_scatter_algorithms()) {
        for (const Rank ranks : rank_counts()) {
            for (const BlockCase& made : block_cases(ranks)) {
                CAPTURE(algorithm.name, ranks, made.name);
                check_reduce_scatter(algorithm, ranks, made, Plus{});
            }
        }
    }
}

TEST_CASE("every reduce_scatter gives every rank its block of the maximum") {
    for (const ReduceScatterAlgorithm& algorithm : reduce_scatter_algorithms()) {
        for (const Rank ranks : runnable({1, 2, 3, 6, 7, 16, 24})) {
            CAPTURE(algorithm.name, ranks);
            check_reduce_scatter(algorithm, ranks, {"equal", 20 * word_size}, Maximum{});
        }
    }
}

TEST_CASE("without data a reduce_scatter sends the same messages") {
    for (const ReduceScatterAlgorithm& algorithm : reduce_scatter_algorithms()) {
        for (const Rank ranks : runnable({1, 2, 5, 16, 27})) {
            for (const BlockCase& made : block_cases(ranks)) {
                CAPTURE(algorithm.name, ranks, made.name);
                const RankBlocks blocks = made.blocks();
                const Sent sent = run_counted(ranks, [&](Comm& comm) {
                    const Buffer vector(blocks.offset(ranks));
                    return algorithm.run(comm, {vector, sum<double>(), blocks}, {});
                });
                check_totals(algorithm, sent.total(), ranks, 2, blocks);
            }
        }
    }
}

TEST_CASE("a reduce_scatter of equal blocks moves n (P - 1) / P bytes per rank, or a block more") {
    for (const ReduceScatterAlgorithm& algorithm : reduce_scatter_algorithms()) {
        CAPTURE(algorithm.name);
        for (const Rank ranks : runnable({2, 4, 8, 16})) {
            const Sent sent = run_counted(ranks, [&](Comm& comm) {
                const RankBlocks blocks(80);
                return algorithm.run(comm, {Buffer(80 * ranks), sum<double>(), blocks}, {});
            });
            // By the butterfly a block that ends at another rank makes one more hop.
            const Bytes more = algorithm.name == "butterfly" ? 80 : 0;
            for (const Counts& counts : sent.ranks) {
                CHECK(counts.bytes >= 80 * (ranks - 1));
                CHECK(counts.bytes <= 80 * (ranks - 1) + more);
            }
        }
    }
}

TEST_CASE("every reduce_scatter refuses wrong sizes, parts of elements and wrong offsets") {
    const Rank ranks = some_ranks(3);
    const std::vector<Bytes> few{0, 8};
    for (const ReduceScatterAlgorithm& algorithm : reduce_scatter_algorithms()) {
        CAPTURE(algorithm.name);
        const std::string name = "reduce_scatter " + std::string(algorithm.name);
        const std::string wrong = error_of(algorithm, 20, RankBlocks(8));
        CHECK(says(wrong, name));
        CHECK(says(wrong, "do not make 20 bytes"));
        CHECK(says(error_of(algorithm, 12 * ranks, RankBlocks(12)), "element size"));
        if (ranks == 1) continue;
        const RankBlocks short_of_ranks{std::span<const Bytes>(few)};
        CHECK(says(error_of(algorithm, 24, short_of_ranks), "2 offsets"));
    }
}

TEST_CASE("an unknown reduce_scatter is refused with the names of the known ones") {
    check_lookup(reduce_scatter_algorithms(), reduce_scatter_algorithm);
}

/// Every reduce algorithm: result at every root, number of messages and bytes, errors.
#include "tradewind/comm/reduce/reduce.hpp"

#include "allreduce_cases.hpp"

using namespace tradewind;

namespace {

/// Runs a reduce to `root` and returns the result there.
Vector reduced(const ReduceAlgorithm& algorithm, Rank ranks, Rank root, std::size_t length,
               Reduction reduction) {
    std::vector<Vector> vectors = whole_vectors(ranks, length);
    const Sent sent = run_counted(ranks, [&](Comm& comm) {
        const std::span<double> own(vectors[std::size_t(comm.rank())]);
        return algorithm.run(comm, {Buffer(own), reduction, root}, {});
    });
    share_all(vectors);
    check_totals(algorithm, sent.total(), ranks, 2, std::int64_t(length));
    return vectors[std::size_t(root)];
}

/// Returns the bytes that each rank sends for a vector of `length` words to rank 0, without data.
std::vector<Counts> sent_to_first(std::string_view name, Rank ranks, std::int64_t length) {
    return run_counted(ranks,
                       [&](Comm& comm) {
                           return reduce_algorithm(name).run(
                               comm, {Buffer(length * 8), sum<double>(), 0}, {});
                       })
        .ranks;
}

}  // namespace

TEST_CASE(
    "every reduce gives the root the sum, with as many messages and bytes as its formula says") {
    for (const ReduceAlgorithm& algorithm : reduce_algorithms()) {
        for (const Rank ranks : rank_counts()) {
            for (const std::size_t length : {0, 1, 3, 17, 100}) {
                if (is_sanitized && length % 16 == 1) continue;
                CAPTURE(algorithm.name, ranks, length);
                const Vector result = reduced(algorithm, ranks, ranks / 3, length, sum<double>());
                CHECK(result == combined(ranks, length, Plus{}));
            }
        }
    }
}

TEST_CASE("every rank can be the root of every reduce") {
    for (const ReduceAlgorithm& algorithm : reduce_algorithms()) {
        for (const Rank ranks : runnable({1, 2, 7, 8, 13})) {
            for (Rank root = 0; root < ranks; ++root) {
                CAPTURE(algorithm.name, ranks, root);
                const Vector result = reduced(algorithm, ranks, root, 400, maximum<double>());
                CHECK(result == combined(ranks, 400, Maximum{}));
            }
        }
    }
}

TEST_CASE("without data a reduce sends the same messages") {
    for (const ReduceAlgorithm& algorithm : reduce_algorithms()) {
        for (const Rank ranks : runnable({1, 2, 5, 16, 27})) {
            CAPTURE(algorithm.name, ranks);
            const Sent sent = run_counted(ranks, [&](Comm& comm) {
                return algorithm.run(comm, {Buffer(17 * 8), sum<double>(), ranks - 1}, {});
            });
            check_totals(algorithm, sent.total(), ranks, 2, 17);
        }
    }
}

TEST_CASE("the ranks of a reduce send no more than their algorithm promises") {
    if (!ranks_are_virtual()) return;
    for (const Rank ranks : {16, 21}) {
        for (const Counts& counts : sent_to_first("binomial", ranks, 160)) {
            CHECK(counts.messages <= 1);
        }
        for (const Counts& counts : sent_to_first("rabenseifner", ranks, 160)) {
            CHECK(counts.messages <= 5);
            CHECK(counts.bytes <= 160 * 8 * 3 / 2);
        }
    }
}

TEST_CASE("every reduce refuses a root that is no rank") {
    for (const ReduceAlgorithm& algorithm : reduce_algorithms()) {
        for (const Rank root : {Rank{-1}, some_ranks(3)}) {
            CAPTURE(algorithm.name, root);
            const auto message = config_error([&] {
                run_ranks(some_ranks(3), [&](Comm& comm) {
                    return algorithm.run(comm, {Buffer(8), sum<double>(), root}, {});
                });
            });
            CHECK(says(message, "reduce"));
            CHECK(says(message, algorithm.name));
            CHECK(says(message, "root " + std::to_string(root)));
        }
    }
}

TEST_CASE("every reduce refuses a vector of parts of elements") {
    for (const ReduceAlgorithm& algorithm : reduce_algorithms()) {
        CAPTURE(algorithm.name);
        const auto message = config_error([&] {
            run_ranks(some_ranks(3), [&](Comm& comm) {
                return algorithm.run(comm, {Buffer(12), sum<double>(), 0}, {});
            });
        });
        CHECK(says(message, "reduce"));
        CHECK(says(message, "12 bytes"));
    }
}

TEST_CASE("an unknown reduce is refused with the names of the known ones") {
    check_lookup(reduce_algorithms(), reduce_algorithm);
}

/// Every allreduce algorithm: result, equal bits on all ranks, number of messages and bytes,
/// errors.
#include "tradewind/comm/allreduce/allreduce.hpp"

#include <cmath>

#include "allreduce_cases.hpp"

using namespace tradewind;

namespace {

double inexact(Rank rank, std::size_t i) {
    return 1.0 / (3.0 + double(rank) + 0.7 * double(i));
}

void check_counts(const AllreduceAlgorithm& algorithm, Counts sent, Rank ranks, std::int64_t radix,
                  std::size_t length) {
    check_totals(algorithm, sent, ranks, radix, std::int64_t(length));
}

/// Returns the largest number of messages that a rank sends, without data.
std::int64_t most_messages(std::string_view name, Rank ranks, std::int64_t radix, Bytes size = 8) {
    const Sent sent = run_counted(ranks, [&](Comm& comm) {
        return allreduce_algorithm(name).run(comm, {Buffer(size), sum<double>()}, {.radix = radix});
    });
    std::int64_t most = 0;
    for (const Counts& counts : sent.ranks) most = std::max(most, counts.messages);
    return most;
}

}  // namespace

TEST_CASE(
    "every allreduce gives every rank the sum, with as many messages and bytes as its formula "
    "says") {
    for (const AllreduceAlgorithm& algorithm : allreduce_algorithms()) {
        for (const Rank ranks : rank_counts()) {
            for (const Options& options : option_sets(algorithm, ranks)) {
                for (const std::size_t length : {0, 1, 3, 17, 100}) {
                    if (is_sanitized && length % 16 == 1) continue;
                    CAPTURE(algorithm.name, ranks, options.radix, length);
                    Vectors vectors(ranks, length, whole_number);
                    const Counts sent = vectors.run(algorithm, options, sum<double>()).total();
                    CHECK(vectors[0] == combined(ranks, length, Plus{}));
                    CHECK(vectors.agree());
                    check_counts(algorithm, sent, ranks, options.radix, length);
                }
            }
        }
    }
}

TEST_CASE("every allreduce gives every rank the maximum") {
    for (const AllreduceAlgorithm& algorithm : allreduce_algorithms()) {
        for (const Rank ranks : runnable({1, 2, 3, 6, 7, 16, 24, 33})) {
            for (const Options& options : option_sets(algorithm, ranks)) {
                CAPTURE(algorithm.name, ranks, options.radix);
                Vectors vectors(ranks, 20, whole_number);
                vectors.run(algorithm, options, maximum<double>());
                CHECK(vectors[0] == combined(ranks, 20, Maximum{}));
                CHECK(vectors.agree());
            }
        }
    }
}

TEST_CASE("every allreduce rounds the same way on all ranks and in every run") {
    for (const AllreduceAlgorithm& algorithm : allreduce_algorithms()) {
        for (const Rank ranks : runnable({2, 3, 5, 8, 13, 16, 24, 31, 64})) {
            for (const Options& options : option_sets(algorithm, ranks)) {
                CAPTURE(algorithm.name, ranks, options.radix);
                Vectors first(ranks, 70, inexact);
                Vectors again(ranks, 70, inexact);
                first.run(algorithm, options, sum<double>());
                again.run(algorithm, options, sum<double>());
                CHECK(first.agree());
                CHECK(first[0] == again[0]);
                double exact = 0.0;
                for (Rank r = 0; r < ranks; ++r) exact += inexact(r, 5);
                CHECK(std::abs(first[0][5] - exact) < 1e-13);
            }
        }
    }
}

TEST_CASE("without data an allreduce sends the same messages") {
    for (const AllreduceAlgorithm& algorithm : allreduce_algorithms()) {
        for (const Rank ranks : runnable({1, 2, 5, 16, 27})) {
            for (const Options& options : option_sets(algorithm, ranks)) {
                CAPTURE(algorithm.name, ranks, options.radix);
                const Sent sent = run_counted(ranks, [&](Comm& comm) {
                    return algorithm.run(comm, {Buffer(17 * 8), sum<double>()}, options);
                });
                check_counts(algorithm, sent.total(), ranks, options.radix, 17);
            }
        }
    }
}

TEST_CASE(
    "recursive_k works where the extra ranks outnumber the core, as 24 = 5^1 + 19 (zheng2018, "
    "section 3.3)") {
    const auto& algorithm = allreduce_algorithm("recursive_k");
    for (const auto& [ranks, radix] :
         {std::pair<Rank, std::int64_t>{24, 5}, {243, 3}, {242, 3}, {100, 21}, {80, 9}, {8, 3}}) {
        if (runnable({ranks}).empty()) continue;
        CAPTURE(ranks, radix);
        Vectors vectors(ranks, 3, whole_number);
        const Counts sent = vectors.run(algorithm, {.radix = radix}, sum<double>()).total();
        CHECK(vectors[0] == combined(ranks, 3, Plus{}));
        CHECK(vectors.agree());
        check_counts(algorithm, sent, ranks, radix, 3);
    }
}

TEST_CASE("the ranks of an allreduce send at most as many messages as the stages allow") {
    if (!ranks_are_virtual()) return;
    CHECK_EQ(most_messages("recursive_doubling", 64, 2), 6);
    CHECK_EQ(most_messages("recursive_doubling", 65, 2), 7);
    CHECK_EQ(most_messages("recursive_k", 64, 4), 9);
    CHECK_EQ(most_messages("recursive_k", 64, 8), 14);
    CHECK_EQ(most_messages("rabenseifner", 64, 2, 512), 12);
    CHECK_EQ(most_messages("ring", 64, 2, 512), 126);
    CHECK_EQ(most_messages("swing", 64, 2, 512), 12);
    CHECK_EQ(most_messages("tree", 64, 2), 6);
    CHECK_EQ(most_messages("bine", 64, 2), 6);
    CHECK_EQ(most_messages("hierarchical", 64, 8), 7 + 3);
}

TEST_CASE("rabenseifner, swing and ring move 2 n (P - 1) / P bytes per rank") {
    for (const std::string_view name : {"rabenseifner", "swing", "ring"}) {
        CAPTURE(name);
        for (const Rank ranks : runnable({4, 8, 16})) {
            const Sent sent = run_counted(ranks, [&](Comm& comm) {
                return allreduce_algorithm(name).run(comm, {Buffer(160 * 8), sum<double>()}, {});
            });
            for (const Counts& counts : sent.ranks) {
                CHECK_EQ(counts.bytes, 2 * 160 * 8 * (ranks - 1) / ranks);
            }
        }
    }
}

TEST_CASE("an allreduce refuses a radix below its smallest") {
    const auto run = [&](const AllreduceAlgorithm& algorithm, Options options) {
        run_ranks(some_ranks(4), [&](Comm& comm) {
            return algorithm.run(comm, {Buffer(8), sum<double>()}, options);
        });
    };
    check_refuses_small_radix("allreduce", allreduce_algorithms(), run);
}

TEST_CASE("every allreduce refuses a vector that is not a multiple of the element size") {
    for (const AllreduceAlgorithm& algorithm : allreduce_algorithms()) {
        const Options options{.radix = std::max<std::int64_t>(algorithm.default_radix, 2)};
        for (const Reduction& reduction : {sum<double>(), Reduction{}}) {
            CAPTURE(algorithm.name, reduction.element_size);
            const auto message = config_error([&] {
                run_ranks(some_ranks(3), [&](Comm& comm) {
                    return algorithm.run(comm, {Buffer(12), reduction}, options);
                });
            });
            CHECK(says(message, "allreduce"));
            CHECK(says(message, "12 bytes"));
        }
    }
}

TEST_CASE("an unknown allreduce is refused with the names of the known ones") {
    check_lookup(allreduce_algorithms(), allreduce_algorithm);
}

/// Every bcast algorithm: payload from every root, number of messages and bytes, errors.
#include "tradewind/comm/bcast/bcast.hpp"

#include "algorithm_cases.hpp"
#include "tradewind/base/random.hpp"

using namespace tradewind;

namespace {

std::byte value(Rank root, std::size_t i) {
    return std::byte(mix(std::uint64_t(root), i) & 0xff);
}

void check_counts(const BcastAlgorithm& algorithm, Counts sent, Rank ranks, std::int64_t radix,
                  Bytes size) {
    check_totals(algorithm, sent, ranks, radix, size);
}

void check_bcast(const BcastAlgorithm& algorithm, Options options, Rank ranks, Rank root,
                 std::size_t size) {
    std::vector<std::byte> expected(size);
    for (std::size_t i = 0; i < size; ++i) expected[i] = value(root, i);
    std::vector<std::vector<std::byte>> data(static_cast<std::size_t>(ranks),
                                             std::vector<std::byte>(size));
    data[std::size_t(root)] = expected;
    const Sent sent = run_counted(ranks, [&](Comm& comm) {
        return algorithm.run(comm, {Buffer(std::span(data[std::size_t(comm.rank())])), root},
                             options);
    });
    share_all(data);
    for (const auto& result : data) CHECK(result == expected);
    check_counts(algorithm, sent.total(), ranks, options.radix, Bytes(size));
}

}  // namespace

TEST_CASE(
    "every bcast gives every rank the root's data, with as many messages and bytes as its formula "
    "says") {
    for (const BcastAlgorithm& algorithm : bcast_algorithms()) {
        for (const Rank ranks : rank_counts()) {
            for (const Options& options : option_sets(algorithm, ranks)) {
                for (const std::size_t size : {0, 5, 100}) {
                    CAPTURE(algorithm.name, ranks, options.radix, size);
                    check_bcast(algorithm, options, ranks, ranks / 3, size);
                }
            }
        }
    }
}

TEST_CASE("every rank can be the root of every bcast") {
    for (const BcastAlgorithm& algorithm : bcast_algorithms()) {
        for (const Rank ranks : runnable({1, 2, 7, 8, 13})) {
            for (Rank root = 0; root < ranks; ++root) {
                for (const Options& options : option_sets(algorithm, ranks)) {
                    CAPTURE(algorithm.name, ranks, root, options.radix);
                    check_bcast(algorithm, options, ranks, root, 2000);
                }
            }
        }
    }
}

TEST_CASE("without data a bcast sends the same messages") {
    for (const BcastAlgorithm& algorithm : bcast_algorithms()) {
        for (const Rank ranks : runnable({1, 2, 5, 16, 27})) {
            for (const Options& options : option_sets(algorithm, ranks)) {
                CAPTURE(algorithm.name, ranks, options.radix);
                const Sent sent = run_counted(ranks, [&](Comm& comm) {
                    return algorithm.run(comm, {Buffer(333), ranks - 1}, options);
                });
                check_counts(algorithm, sent.total(), ranks, options.radix, 333);
            }
        }
    }
}

TEST_CASE("every bcast refuses a root that is no rank") {
    for (const BcastAlgorithm& algorithm : bcast_algorithms()) {
        const Options options{.radix = std::max<std::int64_t>(algorithm.default_radix, 2)};
        for (const Rank root : {Rank{-1}, some_ranks(3)}) {
            CAPTURE(algorithm.name, root);
            const auto message = config_error([&] {
                run_ranks(some_ranks(3), [&](Comm& comm) {
                    return algorithm.run(comm, {Buffer(8), root}, options);
                });
            });
            CHECK(says(message, "bcast"));
            CHECK(says(message, "root " + std::to_string(root)));
        }
    }
}

TEST_CASE("a bcast refuses a radix below its smallest") {
    const auto run = [&](const BcastAlgorithm& algorithm, Options options) {
        run_ranks(some_ranks(4),
                  [&](Comm& comm) { return algorithm.run(comm, {Buffer(8), 0}, options); });
    };
    check_refuses_small_radix("bcast", bcast_algorithms(), run);
}

TEST_CASE("an unknown bcast is refused with the names of the known ones") {
    check_lookup(bcast_algorithms(), bcast_algorithm);
}

/// Every alltoallv algorithm: payload, number of messages and bytes, errors.
#include "tradewind/comm/alltoallv/alltoallv.hpp"

#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "alltoallv_cases.hpp"

using namespace tradewind;

namespace {

void check_counts(const AlltoallvAlgorithm& algorithm, Counts sent, Rank ranks, std::int64_t radix,
                  bool all_known) {
    check_totals(algorithm, sent, ranks, radix, BlockSizes{block_size, all_known});
}

/// Returns the messages of each rank for equal blocks of one byte, without data.
Sent send_uniform(std::string_view name, Rank ranks, std::int64_t radix) {
    const UniformBlocks blocks(1);
    return run_counted(ranks, [&](Comm& comm) {
        return alltoallv_algorithm(name).run(comm, {{}, {}, &blocks}, {.radix = radix});
    });
}

}  // namespace

TEST_CASE(
    "every alltoallv delivers every block, with as many messages and bytes as its formula says") {
    for (const AlltoallvAlgorithm& algorithm : alltoallv_algorithms()) {
        for (const Rank ranks : rank_counts()) {
            for (const Options& options : option_sets(algorithm, ranks)) {
                CAPTURE(algorithm.name, ranks, options.radix, options.window);
                Exchange exchange(ranks, true);
                const Counts sent = exchange.run(algorithm, options, Payload::real);
                CHECK(exchange.arrived());
                check_counts(algorithm, sent, ranks, options.radix, true);
            }
        }
    }
}

TEST_CASE("every alltoallv delivers every block where only the two ends know its size") {
    for (const AlltoallvAlgorithm& algorithm : alltoallv_algorithms()) {
        for (const Rank ranks : runnable({1, 2, 3, 4, 7, 8, 9, 16, 27, 31, 64})) {
            for (const Options& options : option_sets(algorithm, ranks)) {
                CAPTURE(algorithm.name, ranks, options.radix, options.window);
                Exchange exchange(ranks, false);
                const Counts sent = exchange.run(algorithm, options, Payload::real);
                CHECK(exchange.arrived());
                check_counts(algorithm, sent, ranks, options.radix, false);
            }
        }
    }
}

TEST_CASE("without data an alltoallv sends the same messages") {
    for (const AlltoallvAlgorithm& algorithm : alltoallv_algorithms()) {
        for (const Rank ranks : runnable({1, 2, 5, 16, 27, 33})) {
            for (const Options& options : option_sets(algorithm, ranks)) {
                CAPTURE(algorithm.name, ranks, options.radix, options.window);
                Exchange exchange(ranks, true);
                const Counts sent = exchange.run(algorithm, options, Payload::none);
                check_counts(algorithm, sent, ranks, options.radix, true);
            }
        }
    }
}

TEST_CASE("an alltoallv works on 243 ranks, 3^5") {
    if (!ranks_are_virtual()) return;
    for (const std::string_view name : {"ring_k", "spread_out", "bruck_k"}) {
        CAPTURE(name);
        const auto& algorithm = alltoallv_algorithm(name);
        Exchange exchange(243, true);
        const Counts sent = exchange.run(algorithm, {.radix = 3}, Payload::real);
        CHECK(exchange.arrived());
        check_counts(algorithm, sent, 243, 3, true);
    }
}

TEST_CASE("bruck sends the known numbers of messages and bytes") {
    if (!ranks_are_virtual()) return;
    struct Case {
        Rank ranks;
        std::int64_t radix;
        std::int64_t messages;
        double volume;  // in units of what one rank has to send
    };
    for (const Case& known : {Case{64, 2, 6, 3.00},
                              {64, 4, 9, 2.25},
                              {64, 8, 14, 1.75},
                              {1000, 2, 10, 4.93},
                              {1000, 4, 15, 3.73},
                              {1000, 8, 22, 3.11}}) {
        CAPTURE(known.ranks, known.radix);
        CHECK(known.messages <= (known.radix - 1) * stages(known.ranks, known.radix));
        for (const Counts& sent : send_uniform("bruck_k", known.ranks, known.radix).ranks) {
            CHECK_EQ(sent.messages, known.messages);
            CHECK(std::abs(double(sent.bytes) / double(known.ranks) - known.volume) <= 0.005);
        }
    }
}

TEST_CASE("ring_k has ceil((P - 1) / k) stages with k partners at most") {
    for (const Rank ranks : runnable({1, 2, 7, 16, 33})) {
        for (const std::int64_t k : {1, 2, 3, 5, 32, 100}) {
            CAPTURE(ranks, k);
            for (const Waits& waits : send_uniform("ring_k", ranks, k).waits) {
                CHECK_EQ(waits.count, (ranks - 1 + k - 1) / k);
                CHECK(waits.most_open <= 2 * k);
            }
        }
    }
}

TEST_CASE("spread_out keeps its window and never exceeds it") {
    const UniformBlocks blocks(2000);
    if (!ranks_are_virtual()) return;
    for (const std::int64_t window : {1, 2, 8, 100}) {
        CAPTURE(window);
        const Sent sent = run_counted(24, [&](Comm& comm) {
            return alltoallv_algorithm("spread_out")
                .run(comm, {{}, {}, &blocks}, {.radix = 2, .window = window});
        });
        std::int64_t most = 0;
        for (const Waits& waits : sent.waits) most = std::max(most, waits.most_open);
        CHECK(most <= 2 * std::min<std::int64_t>(window, 23));
        CHECK(most > std::min<std::int64_t>(window, 23));
    }
}

TEST_CASE("ring_k with the largest radix makes all exchanges in one stage") {
    if (!ranks_are_virtual()) return;
    for (const Waits& waits : send_uniform("ring_k", 8, std::numeric_limits<Rank>::max()).waits) {
        CHECK_EQ(waits.count, 1);
    }
}

TEST_CASE("ring_k takes fewer stages than the ring, hence less time") {
    if (!ranks_are_virtual()) return;
    const auto time = [](std::string_view name, std::int64_t radix) {
        return send_uniform(name, 60, radix).time;
    };
    CHECK_EQ(time("ring_k", 1), time("ring", 1));
    CHECK(time("ring_k", 8) < time("ring_k", 2));
    CHECK(time("ring_k", 2) < time("ring", 1));
}

TEST_CASE("an alltoallv refuses a radix below its smallest, and spread_out an empty window") {
    const UniformBlocks blocks(8);
    const auto run = [&](const AlltoallvAlgorithm& algorithm, Options options) {
        run_ranks(some_ranks(4),
                  [&](Comm& comm) { return algorithm.run(comm, {{}, {}, &blocks}, options); });
    };
    check_refuses_small_radix("alltoallv", alltoallv_algorithms(), run);
    const auto message =
        config_error([&] { run(alltoallv_algorithm("spread_out"), {.radix = 2, .window = 0}); });
    CHECK(says(message, "alltoallv spread_out"));
    CHECK(says(message, "window"));
}

TEST_CASE("bruck without data refuses sizes that it cannot know") {
    for (const std::string_view name : {"bruck", "bruck_k"}) {
        for (const Rank ranks : runnable({2, 5})) {
            Exchange exchange(ranks, false);
            const auto message = config_error(
                [&] { exchange.run(alltoallv_algorithm(name), {.radix = 3}, Payload::none); });
            CHECK(says(message, "alltoallv bruck"));
        }
    }
}

TEST_CASE("an alltoallv refuses a block to itself that is longer than what it expects") {
    const std::vector<Bytes> sends{8, 8};
    const std::vector<Bytes> receives{4, 4};
    const std::vector<Bytes> offsets{0, 8};
    const ArrayBlocks blocks(sends, offsets, receives, offsets);
    for (const Rank ranks : runnable({2})) {
        const auto message = config_error([&] {
            run_ranks(ranks, [&](Comm& comm) {
                return alltoallv_algorithm("ring").run(comm, {{}, {}, &blocks}, {});
            });
        });
        CHECK(says(message, "sends 8 bytes to itself but receives 4"));
    }
}

TEST_CASE("blocks tell size and offset together as they tell them apart") {
    const std::vector<Bytes> sends{8, 0, 5};
    const std::vector<Bytes> send_offsets{7, 3, 20};
    const std::vector<Bytes> receives{1, 2, 3};
    const std::vector<Bytes> receive_offsets{9, 4, 6};
    const ArrayBlocks arrays(sends, send_offsets, receives, receive_offsets);
    const UniformBlocks uniform(12);
    const UnevenBlocks uneven(1, 3, true);
    for (const Blocks* const blocks :
         {static_cast<const Blocks*>(&arrays), static_cast<const Blocks*>(&uniform),
          static_cast<const Blocks*>(&uneven)}) {
        for (Rank r = 0; r < 3; ++r) {
            CHECK_EQ(blocks->sent(r).size, blocks->send_size(r));
            CHECK_EQ(blocks->sent(r).offset, blocks->send_offset(r));
            CHECK_EQ(blocks->received(r).size, blocks->receive_size(r));
            CHECK_EQ(blocks->received(r).offset, blocks->receive_offset(r));
        }
    }
}

TEST_CASE("an unknown alltoallv is refused with the names of the known ones") {
    check_lookup(alltoallv_algorithms(), alltoallv_algorithm);
}

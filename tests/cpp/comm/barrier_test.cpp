/// Every barrier algorithm: no rank leaves early, number of messages, errors.
#include "tradewind/comm/barrier/barrier.hpp"

#include "algorithm_cases.hpp"

using namespace tradewind;

namespace {

struct Times {
    std::vector<Picoseconds> entered;
    std::vector<Picoseconds> left;
};

/// Enters at once, except on rank `late`, which computes first.
Task enter_and_leave(Comm& comm, const BarrierAlgorithm& algorithm, Options options, Rank late,
                     Times& times) {
    if (comm.rank() == late) {
        co_await comm.compute({1e6, 0});
    }
    times.entered[std::size_t(comm.rank())] = comm.now();
    co_await algorithm.run(comm, options);
    times.left[std::size_t(comm.rank())] = comm.now();
}

Times times_of(const BarrierAlgorithm& algorithm, Options options, Rank ranks, Rank late) {
    const auto count = static_cast<std::size_t>(ranks);
    Times times{std::vector<Picoseconds>(count), std::vector<Picoseconds>(count)};
    run_ranks(ranks,
              [&](Comm& comm) { return enter_and_leave(comm, algorithm, options, late, times); });
    return times;
}

Task enter_often(Comm& comm, const BarrierAlgorithm& algorithm, Options options,
                 std::vector<int>& rounds, int& disagreements) {
    for (int round = 0; round < 5; ++round) {
        co_await comm.compute({double(1000 * ((comm.rank() * 7 + round * 3) % 5)), 0});
        ++rounds[std::size_t(comm.rank())];
        co_await algorithm.run(comm, options);
        for (const int other : rounds) disagreements += other < round + 1 ? 1 : 0;
    }
}

}  // namespace

TEST_CASE("no rank leaves a barrier before the last one has entered") {
    if (!ranks_are_virtual()) return;
    for (const BarrierAlgorithm& algorithm : barrier_algorithms()) {
        for (const Rank ranks : runnable({2, 3, 4, 5, 8, 9, 13, 16, 17})) {
            if (is_sanitized && ranks > 9) continue;
            for (const Options& options : option_sets(algorithm, ranks)) {
                for (Rank late = 0; late < ranks; ++late) {
                    CAPTURE(algorithm.name, ranks, options.radix, late);
                    const Times times = times_of(algorithm, options, ranks, late);
                    CHECK(times.entered[std::size_t(late)] > 0);
                    CHECK(std::ranges::min(times.left) >= std::ranges::max(times.entered));
                }
            }
        }
    }
}

TEST_CASE("barriers in a row keep all ranks in the same round") {
    if (!ranks_are_virtual()) return;
    for (const BarrierAlgorithm& algorithm : barrier_algorithms()) {
        for (const Rank ranks : rank_counts()) {
            for (const Options& options : option_sets(algorithm, ranks)) {
                CAPTURE(algorithm.name, ranks, options.radix);
                std::vector<int> rounds(static_cast<std::size_t>(ranks));
                int disagreements = 0;
                run_ranks(ranks, [&](Comm& comm) {
                    return enter_often(comm, algorithm, options, rounds, disagreements);
                });
                CHECK_EQ(disagreements, 0);
                CHECK_EQ(std::ranges::min(rounds), 5);
            }
        }
    }
}

TEST_CASE("a barrier sends as many empty messages as its formula says") {
    for (const BarrierAlgorithm& algorithm : barrier_algorithms()) {
        for (const Rank ranks : rank_counts()) {
            for (const Options& options : option_sets(algorithm, ranks)) {
                CAPTURE(algorithm.name, ranks, options.radix);
                const Sent sent =
                    run_counted(ranks, [&](Comm& comm) { return algorithm.run(comm, options); });
                check_totals(algorithm, sent.total(), ranks, options.radix);
            }
        }
    }
}

TEST_CASE("a barrier refuses a radix below its smallest") {
    const auto run = [](const BarrierAlgorithm& algorithm, Options options) {
        run_ranks(some_ranks(4), [&](Comm& comm) { return algorithm.run(comm, options); });
    };
    check_refuses_small_radix("barrier", barrier_algorithms(), run);
}

TEST_CASE("an unknown barrier is refused with the names of the known ones") {
    check_lookup(barrier_algorithms(), barrier_algorithm);
}

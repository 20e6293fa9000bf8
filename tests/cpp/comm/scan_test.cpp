/// Every scan algorithm: inclusive and exclusive results, number of messages and bytes, errors.
#include "tradewind/comm/scan/scan.hpp"

#include "allreduce_cases.hpp"

using namespace tradewind;

namespace {

/// Returns the vectors of all ranks after a scan.
std::vector<Vector> scanned(const ScanAlgorithm& algorithm, Rank ranks, std::size_t length,
                            Reduction reduction, bool exclusive) {
    std::vector<Vector> vectors = whole_vectors(ranks, length);
    const Sent sent = run_counted(ranks, [&](Comm& comm) {
        const std::span<double> own(vectors[std::size_t(comm.rank())]);
        return algorithm.run(comm, {Buffer(own), reduction, exclusive}, {});
    });
    share_all(vectors);
    check_totals(algorithm, sent.total(), ranks, 2, std::int64_t(length));
    return vectors;
}

/// Checks the result of each rank: the combination of the ranks up to its own, or below it. Rank 0
/// has no exclusive result and keeps its vector.
template <class Operation>
void check_scan(const ScanAlgorithm& algorithm, Rank ranks, std::size_t length, Operation operation,
                bool exclusive) {
    CAPTURE(algorithm.name, ranks, length, exclusive);
    const auto results =
        scanned(algorithm, ranks, length, reduction<double, Operation>(), exclusive);
    for (Rank r = 0; r < ranks; ++r) {
        const Rank count = exclusive ? std::max(r, Rank{1}) : r + 1;
        CAPTURE(r);
        CHECK(results[std::size_t(r)] == combined(count, length, operation));
    }
}

}  // namespace

TEST_CASE(
    "every scan gives every rank the sum up to its own, with as many messages and bytes as its "
    "formula says") {
    for (const ScanAlgorithm& algorithm : scan_algorithms()) {
        for (const Rank ranks : rank_counts()) {
            for (const std::size_t length : {0, 1, 17}) {
                check_scan(algorithm, ranks, length, Plus{}, false);
                check_scan(algorithm, ranks, length, Plus{}, true);
            }
        }
    }
}

TEST_CASE("every scan gives every rank the maximum up to its own, beyond the eager limit too") {
    for (const ScanAlgorithm& algorithm : scan_algorithms()) {
        for (const Rank ranks : runnable({1, 2, 7, 8, 13})) {
            check_scan(algorithm, ranks, 400, Maximum{}, false);
            check_scan(algorithm, ranks, 400, Maximum{}, true);
        }
    }
}

TEST_CASE("without data a scan sends the same messages") {
    for (const ScanAlgorithm& algorithm : scan_algorithms()) {
        for (const Rank ranks : runnable({1, 2, 5, 16, 27})) {
            for (const bool exclusive : {false, true}) {
                CAPTURE(algorithm.name, ranks, exclusive);
                const Sent sent = run_counted(ranks, [&](Comm& comm) {
                    return algorithm.run(comm, {Buffer(17 * 8), sum<double>(), exclusive}, {});
                });
                check_totals(algorithm, sent.total(), ranks, 2, 17);
            }
        }
    }
}

TEST_CASE("a scan by recursive doubling is over after log2 P stages") {
    if (!ranks_are_virtual()) return;
    const auto waits = [](std::string_view name) {
        const Sent sent = run_counted(32, [&](Comm& comm) {
            return scan_algorithm(name).run(comm, {Buffer(8), sum<double>()}, {});
        });
        return sent;
    };
    for (const Counts& counts : waits("recursive_doubling").ranks) CHECK_EQ(counts.messages, 5);
    CHECK(waits("recursive_doubling").time < waits("linear").time / 3);
}

TEST_CASE("every scan refuses a vector of parts of elements") {
    for (const ScanAlgorithm& algorithm : scan_algorithms()) {
        CAPTURE(algorithm.name);
        const auto message = config_error([&] {
            run_ranks(some_ranks(3), [&](Comm& comm) {
                return algorithm.run(comm, {Buffer(12), sum<double>()}, {});
            });
        });
        CHECK(says(message, "scan"));
        CHECK(says(message, algorithm.name));
        CHECK(says(message, "12 bytes"));
    }
}

TEST_CASE("an unknown scan is refused with the names of the known ones") {
    check_lookup(scan_algorithms(), scan_algorithm);
}

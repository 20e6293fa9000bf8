/// The cases of the tests of all collective operations.
#pragma once

#include <bit>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "counting_comm.hpp"
#include "support/messages.hpp"
#include "testing.hpp"
#include "tradewind/base/errors.hpp"
#include "tradewind/comm/options.hpp"

namespace tradewind {

/// Returns 1..33 and some larger numbers of ranks: powers of two and of three, primes, and others.
/// Real ranks are limited to the number of processes. Under sanitizers there are only some of each
/// kind.
[[nodiscard]] inline std::vector<Rank> rank_counts() {
    if (is_sanitized) return runnable({1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 16, 27, 33, 64});
    std::vector<Rank> counts;
    for (Rank p = 1; p <= 33; ++p) counts.push_back(p);
    counts.insert(counts.end(), {64, 97, 127});
    return runnable(counts);
}

/// Returns the options with which an algorithm is tested: radices from the smallest to one beyond
/// most rank counts.
template <class Algorithm>
[[nodiscard]] std::vector<Options> option_sets(const Algorithm& algorithm, Rank ranks) {
    std::vector<Options> sets;
    if (algorithm.smallest_radix == 0) {
        sets.push_back({});
        if (ranks <= 33) sets.push_back({.radix = 2, .window = 3});
        return sets;
    }
    std::set<std::int64_t> radices{algorithm.smallest_radix, algorithm.default_radix};
    if (ranks <= 33) radices.insert({3, 5, 40});
    for (const std::int64_t radix : radices) sets.push_back({.radix = radix});
    return sets;
}

/// Checks that all ranks have sent what the formula of the algorithm's entry says.
template <class Algorithm, class... Arguments>
void check_totals(const Algorithm& algorithm, Counts sent, const Arguments&... arguments) {
    CHECK(algorithm.total != nullptr);
    if (algorithm.total != nullptr) CHECK_EQ(sent, algorithm.total(arguments...));
}

/// Returns ceil(log_k p), by counting.
[[nodiscard]] inline std::int64_t stages(Rank p, std::int64_t k) {
    std::int64_t count = 0;
    for (Rank reach = 1; reach < p; reach *= k) ++count;
    return count;
}

/// Returns the message of the ConfigError that `action` throws; empty if it throws none.
template <class Action>
[[nodiscard]] std::string config_error(const Action& action) {
    return support::message_of<ConfigError>(action);
}
using support::says;

/// Checks that every algorithm with a radix refuses one below its smallest, in a message that names
/// the algorithm.
template <class Algorithm, class Run>
void check_refuses_small_radix(std::string_view operation, std::span<const Algorithm> table,
                               Run run) {
    for (const Algorithm& algorithm : table) {
        CAPTURE(algorithm.name);
        CHECK(algorithm.smallest_radix <= algorithm.default_radix);
        if (algorithm.smallest_radix == 0) continue;
        const std::string message =
            config_error([&] { run(algorithm, Options{.radix = algorithm.smallest_radix - 1}); });
        CHECK(says(message, operation));
        CHECK(says(message, algorithm.name));
        CHECK(says(message, "radix"));
    }
}

/// Checks that the look-up of an unknown name fails with the known ones, and that each known one is
/// found.
template <class Algorithm>
void check_lookup(std::span<const Algorithm> table, const Algorithm& (*find)(std::string_view)) {
    const std::string message = config_error([&] { (void)find("no such thing"); });
    CHECK(says(message, "no such thing"));
    for (const Algorithm& algorithm : table) {
        CAPTURE(algorithm.name);
        CHECK(&find(algorithm.name) == &algorithm);
        CHECK(says(message, algorithm.name));
        CHECK(!algorithm.summary.empty());
    }
}

}  // namespace tradewind

/// Folding: loops are found, nothing is lost, and a cursor unfolds them again.
#include "tradewind/trace/fold.hpp"

#include <numeric>

#include "testing.hpp"
#include "tradewind/base/random.hpp"
#include "tradewind/trace/cursor.hpp"

using namespace tradewind;
using namespace tradewind::trace;

namespace {

using Calls = std::vector<std::int64_t>;

struct Folded {
    std::vector<std::int64_t> items;
    std::vector<SummedTimes> times;
};

/// Folds calls; the time of call number i is i + 1.
[[nodiscard]] Folded fold(const Calls& calls) {
    StreamFolder folder;
    for (std::size_t i = 0; i < calls.size(); ++i) {
        const auto time = Picoseconds(i + 1);
        folder.add(calls[i], {time, 2 * time, 3 * time, 3 * time, 3 * time});
    }
    Folded result;
    flatten(folder.nodes(), result.items, result.times);
    return result;
}

[[nodiscard]] Calls unfold(const Folded& folded) {
    Calls calls;
    Cursor cursor(folded.items);
    while (cursor.next()) calls.push_back(cursor.event());
    return calls;
}

[[nodiscard]] Calls repeated(const Calls& body, int turns) {
    Calls calls;
    for (int i = 0; i < turns; ++i) calls.insert(calls.end(), body.begin(), body.end());
    return calls;
}

[[nodiscard]] Calls joined(std::initializer_list<Calls> parts) {
    Calls calls;
    for (const Calls& part : parts) calls.insert(calls.end(), part.begin(), part.end());
    return calls;
}

/// Returns calls of loops within loops, with numbers of turns from `seed`.
[[nodiscard]] Calls random_program(std::uint64_t seed, int depth) {
    Calls body;
    const auto parts = 1 + below(mix(seed, 1), 4);
    for (std::uint32_t i = 0; i < parts; ++i) {
        const std::uint64_t own = mix(seed, 10 + i);
        if (depth > 0 && below(own, 2) == 0) {
            const Calls inner = random_program(own, depth - 1);
            body.insert(body.end(), inner.begin(), inner.end());
        } else {
            body.push_back(std::int64_t(below(mix(own), 5)));
        }
    }
    return repeated(body, 1 + int(below(mix(seed, 2), 6)));
}

}  // namespace

TEST_CASE("a loop becomes one item and its body, whatever its number of turns") {
    const Calls body{4, 5, 6, 7};
    for (const int turns : {2, 3, 10, 1000}) {
        CAPTURE(turns);
        const Folded folded = fold(repeated(body, turns));
        const std::vector<std::int64_t> expected{-turns, 4, 4, 0, 5, 0, 6, 0, 7, 0};
        CHECK(folded.items == expected);
        CHECK(unfold(folded) == repeated(body, turns));
    }
}

TEST_CASE("loops are found inside loops, with calls around them") {
    const Calls step = joined({{1}, repeated({2, 3}, 5), {4}, repeated({5}, 3)});
    const Calls calls = joined({{0}, repeated(step, 200), {9}});
    const Folded folded = fold(calls);
    CHECK(unfold(folded) == calls);
    CHECK(folded.items.size() <= 2 * 12);
}

TEST_CASE("folding and unfolding give the same calls for programs of all kinds") {
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        CAPTURE(seed);
        const Calls calls = random_program(mix(seed), 3);
        const Folded folded = fold(calls);
        CHECK(unfold(folded) == calls);
        // Time sums are kept whatever the loops are.
        const auto count = std::int64_t(calls.size());
        Picoseconds sum = 0;
        for (const SummedTimes& times : folded.times) sum += times.computed;
        CHECK(sum == count * (count + 1) / 2);
    }
}

TEST_CASE("the times of a loop are sums, shortest and longest over its turns") {
    const Folded folded = fold(repeated({8, 9}, 10));
    CHECK(folded.times.size() == 3);
    if (folded.times.size() != 3) return;
    CHECK(folded.times[1].computed == 1 + 3 + 5 + 7 + 9 + 11 + 13 + 15 + 17 + 19);
    CHECK(folded.times[2].processor == 2 * (2 + 4 + 6 + 8 + 10 + 12 + 14 + 16 + 18 + 20));
    CHECK(folded.times[1].inside_min == 3);
    CHECK(folded.times[1].inside_max == 57);
}

TEST_CASE("equal calls from two places are no turns of one loop, so each has its own times") {
    StreamFolder folder;
    for (const Picoseconds turn : {1, 2, 3, 4})
        for (const std::int64_t place : {70, 90}) {
            const Picoseconds time = place == 70 ? 5'000 : 0;
            folder.add(8, {time, time, turn, turn, turn}, place);
        }
    Folded folded;
    flatten(folder.nodes(), folded.items, folded.times);
    CHECK(folded.items == std::vector<std::int64_t>{-4, 2, 8, 0, 8, 0});
    CHECK(folded.times[1].processor == 20'000);
    CHECK(folded.times[1].deviation == 0);
    CHECK(folded.times[2].processor == 0);
    CHECK(folded.times[2].deviation == 0);
}

TEST_CASE("calls that never repeat stay as they are") {
    Calls calls(300);
    std::iota(calls.begin(), calls.end(), 0);
    const Folded folded = fold(calls);
    CHECK(folded.items.size() == 600);
    CHECK(unfold(folded) == calls);
}

TEST_CASE("a cursor knows how often a call is made in all loops around it") {
    // 3 x (a 4 x (b)) c
    const std::vector<std::int64_t> items{-3, 3, 0, 0, -4, 1, 1, 0, 2, 0};
    Cursor cursor(items);
    std::vector<std::int64_t> turns(3, 0);
    std::vector<int> made(3, 0);
    while (cursor.next()) {
        turns[std::size_t(cursor.event())] = cursor.turns();
        ++made[std::size_t(cursor.event())];
    }
    CHECK(turns == std::vector<std::int64_t>{3, 12, 1});
    CHECK(made == std::vector<int>{3, 12, 1});
}

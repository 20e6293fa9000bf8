/// Tests of units, random numbers, errors and settings.
#include <set>

#include "testing.hpp"
#include "tradewind/base/errors.hpp"
#include "tradewind/base/random.hpp"
#include "tradewind/base/settings.hpp"
#include "tradewind/base/units.hpp"

using namespace tradewind;

TEST_CASE("a transfer takes bytes over rate, rounded to the nearest picosecond") {
    CHECK_EQ(TransferRate(1e9).time(7), 7000);
    CHECK_EQ(TransferRate(25e9).time(4096), 163'840);
    CHECK_EQ(TransferRate(3e9).time(1), 333);
    CHECK_EQ(TransferRate(3e9).time(2), 667);
    CHECK_EQ(TransferRate(12.5e9).time(Bytes{1} << 40), 87'960'930'222'080);
}

TEST_CASE("no positive number of bytes moves in zero time, and zero bytes do") {
    for (const double rate : {1e9, 1e13, 1e15, 0.0}) {
        CAPTURE(rate);
        CHECK(TransferRate(rate).time(1) >= 1);
        CHECK_EQ(TransferRate(rate).time(0), 0);
    }
}

TEST_CASE("mix gives different numbers for neighbouring keys") {
    std::set<std::uint64_t> seen;
    for (std::uint64_t a = 0; a < 100; ++a) {
        for (std::uint64_t b = 0; b < 100; ++b) seen.insert(mix(a, b));
    }
    CHECK_EQ(seen.size(), std::size_t{10'000});
}

TEST_CASE("below stays below its bound and reaches all numbers about equally often") {
    for (const std::uint32_t bound : {1U, 2U, 3U, 10U, 37U}) {
        CAPTURE(bound);
        std::vector<int> counts(bound);
        for (std::uint64_t i = 0; i < 1000 * std::uint64_t{bound}; ++i) {
            const std::uint32_t drawn = below(mix(i), bound);
            CHECK(drawn < bound);
            if (drawn < bound) ++counts[drawn];
        }
        for (const int count : counts) CHECK(count > 850 && count < 1150);
    }
}

TEST_CASE("text joins words and numbers") {
    CHECK_EQ(text("rank ", 3, " of ", std::int64_t{8}), std::string("rank 3 of 8"));
}

TEST_CASE("every configuration error is a tradewind error") {
    CHECK_THROWS_AS(throw TopologyError("x"), ConfigError);
    CHECK_THROWS_AS(throw ConfigError("x"), Error);
    CHECK_THROWS_AS(throw DeadlockError("x"), Error);
    CHECK_THROWS_AS(throw Interrupted("x"), Error);
}

TEST_CASE("settings give back what was set, or the default") {
    Settings settings(
        {{"flag", true}, {"count", std::int64_t{3}}, {"ratio", 2.5}, {"name", std::string("x")}});
    settings.set("list", std::vector<std::int64_t>{1, 2});
    CHECK_EQ(settings.need<bool>("flag"), true);
    CHECK_EQ(settings.need<std::int64_t>("count"), 3);
    CHECK_EQ(settings.need<double>("ratio"), 2.5);
    CHECK_EQ(settings.need<std::string>("name"), std::string("x"));
    CHECK_EQ(settings.need<std::vector<std::int64_t>>("list").size(), std::size_t{2});
    CHECK_EQ(settings.get<std::int64_t>("other", 9), 9);
    CHECK(settings.has("count") && !settings.has("other"));
}

TEST_CASE("a whole number may stand where a real one is expected, not the other way round") {
    const Settings settings({{"count", std::int64_t{3}}, {"ratio", 2.5}});
    CHECK_EQ(settings.need<double>("count"), 3.0);
    CHECK_THROWS_AS(settings.need<std::int64_t>("ratio"), ConfigError);
}

TEST_CASE("settings refuse missing keys, wrong types and numbers out of range") {
    const Settings settings({{"count", std::int64_t{3}}});
    CHECK_THROWS_AS(settings.need<bool>("nothing"), ConfigError);
    CHECK_THROWS_AS(settings.need<std::string>("count"), ConfigError);
    CHECK_THROWS_AS(settings.get<bool>("count", false), ConfigError);
    CHECK_EQ(settings.whole("count", 1, 3, 3), 3);
    CHECK_THROWS_AS(settings.whole("count", 1, 4, 5), ConfigError);
    CHECK_THROWS_AS(settings.whole("count", 1, 0, 2), ConfigError);
}

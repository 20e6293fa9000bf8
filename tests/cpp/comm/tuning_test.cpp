/// The table of tuned algorithms: reading, choices and errors.
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "testing.hpp"
#include "tradewind/base/errors.hpp"
#include "tradewind/comm/tuning/tuning.hpp"

using namespace tradewind;

namespace {

constexpr const char* table =
    "tradewind-tuning 1\n"
    "# operation ranks from to algorithm radix window protocol transport\n"
    "alltoallv 8 0 1000 bruck_k 3 - - puts\n"
    "alltoallv 8 1001 9223372036854775807 ring - - (0,3) two_sided\n"
    "\n"
    "alltoallv 64 0 9223372036854775807 spread_out - 7 -\n"
    "allreduce 8 0 64 recursive_k - - -\n"
    "allreduce 8 65 500 ring - - -\n";

std::string refused(const std::string& text) {
    try {
        (void)Tuning::parse(text);
    } catch (const ConfigError& error) {
        return error.what();
    }
    return {};
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a tuning gives algorithm and options by ranks and bytes") {
    const Tuning tuning = Tuning::parse(table);
    CHECK_EQ(tuning.cases().size(), 5U);
    const auto small = tuning.alltoallv(8, 1000);
    CHECK_EQ(small.algorithm->name, std::string_view("bruck_k"));
    CHECK_EQ(small.options.radix, 3);
    CHECK(small.options.transport == Transport::puts);
    const auto large = tuning.alltoallv(8, 1001);
    CHECK_EQ(large.algorithm->name, std::string_view("ring"));
    CHECK(large.options.protocol == Protocol(0, 3));
    CHECK(large.options.transport == Transport::two_sided);
    CHECK_EQ(tuning.alltoallv(64, 5).options.window, 7);
    const auto reduce = tuning.allreduce(8, 8);
    CHECK_EQ(reduce.options.radix, reduce.algorithm->default_radix);
}

TEST_CASE("neighbourhood exchanges and choices of models are in the same table") {
    const Tuning tuning = Tuning::parse(
        "tradewind-tuning 1\n"
        "neighbor 8 0 99 pairwise - - (1,6)\n"
        "model.way 8 0 99 far.ring_k 3 4 (0,3)\n"
        "model.way 8 100 900 near - - -\n");
    CHECK_EQ(tuning.neighbor(8, 5).algorithm->name, std::string_view("pairwise"));
    CHECK(tuning.neighbor(8, 5).options.protocol == Protocol(1, 6));
    CHECK_EQ(tuning.pick("model.way", 8, 5).choice,
             std::string("far.ring_k:radix=3,window=4,protocol=(0,3)"));
    CHECK_EQ(tuning.pick("model.way", 8, 200).choice, std::string("near"));
    const std::string head = "tradewind-tuning 1\n";
    CHECK(contains(refused(head + "model.way 8 0 9 far x - -\n"), "\"x\""));
    CHECK(contains(refused(head + "model.way 8 0 9 far - - (9,9)\n"), "(9,9)"));
    CHECK(contains(refused(head + "neighbor 8 0 9 burst - - (0,3)\n"), "burst"));
}

TEST_CASE("where ranks or bytes were not tuned the nearest ones are taken") {
    const Tuning tuning = Tuning::parse(table);
    // 8 and 64 are equally far from 22.6 by ratio.
    CHECK_EQ(tuning.pick("alltoallv", 22, 5).ranks, 8);
    CHECK_EQ(tuning.pick("alltoallv", 23, 5).ranks, 64);
    CHECK_EQ(tuning.pick("alltoallv", 100'000, 5).ranks, 64);
    CHECK_EQ(tuning.pick("allreduce", 2, 1'000'000).algorithm, std::string("ring"));
}

TEST_CASE("a wrong tuning table is refused with its line") {
    CHECK(contains(refused(""), "must begin with"));
    CHECK(contains(refused("tradewind-tuning 2\n"), "version 2"));
    const std::string head = "tradewind-tuning 1\n";
    CHECK(contains(refused(head + "alltoallv 8 0 9 ring - -\n"), "line 2: has 7 words"));
    CHECK(contains(refused(head + "gather 8 0 9 ring - - -\n"), "no operation 'gather'"));
    CHECK(contains(refused(head + "alltoallv 8 0 9 magic - - -\n"), "magic"));
    CHECK(contains(refused(head + "alltoallv 8 9 0 ring - - -\n"), "empty"));
    CHECK(contains(refused(head + "alltoallv x 0 9 ring - - -\n"), "\"x\""));
    CHECK(contains(refused(head + "allreduce 8 0 9 recursive_k 1 - -\n"), "not in 2.."));
    CHECK(contains(refused(head + "alltoallv 8 0 9 burst - - (0,3)\n"), "burst"));
    CHECK(contains(refused(head + "alltoallv 8 0 9 burst - - - puts\n"), "burst"));
    CHECK(contains(refused(head + "alltoallv 8 0 9 ring - - - mail\n"), "\"mail\""));
    CHECK(contains(refused(head + "alltoallv 8 0 9 ring - - (0,6) puts\n"), "puts cannot carry"));
    const Tuning tuning = Tuning::parse(head + "alltoallv 8 0 9 ring - - -\n");
    CHECK(refused(table).empty());
    try {
        (void)tuning.allreduce(8, 8);
        CHECK(false);
    } catch (const ConfigError& error) {
        CHECK(contains(error.what(), "allreduce was not tuned"));
    }
}

TEST_CASE("of a JSON file the table beside it is read") {
    const std::string path =
        (std::filesystem::temp_directory_path() / text("tradewind-tuning-", getpid())).string();
    std::ofstream(path + ".table") << table;
    CHECK_EQ(Tuning::load(path + ".json").cases().size(), 5U);
    CHECK_EQ(Tuning::load(path + ".table").cases().size(), 5U);
    std::remove((path + ".table").c_str());
    try {
        (void)Tuning::load(path + ".json");
        CHECK(false);
    } catch (const ConfigError& error) {
        CHECK(contains(error.what(), path + ".table cannot be read"));
    }
}

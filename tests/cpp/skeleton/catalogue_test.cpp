/// The table of programs: all run, all estimate their messages, and all refuse wrong settings
/// before they run.
#include <algorithm>
#include <cmath>

#include "comm/counting_comm.hpp"
#include "support/small_settings.hpp"
#include "testing.hpp"
#include "tradewind/catalogue/programs.hpp"
#include "tradewind/comm/allreduce/allreduce.hpp"
#include "tradewind/comm/alltoallv/alltoallv.hpp"
#include "tradewind/comm/neighbor/neighbor.hpp"
#include "tradewind/simcomm/virtual_ranks.hpp"

using namespace tradewind;

namespace {

using Numbers = std::vector<std::int64_t>;

std::string message_of(std::string_view name, const Settings& settings, Rank ranks) {
    try {
        (void)find_program(name).make(settings, ranks);
    } catch (const ConfigError& error) {
        return error.what();
    }
    return "no error";
}

void check_estimate(const ProgramEntry& entry, const Settings& settings, Rank ranks) {
    const Counts sent = run_counted(ranks, entry.make(settings, ranks)).total();
    const Estimate expected = entry.estimate(settings, ranks);
    CHECK_EQ(double(sent.messages), std::round(expected.messages));
    CHECK_EQ(double(sent.bytes), std::round(expected.bytes));
}

void check_algorithms(const ProgramEntry& entry, const auto& algorithms) {
    for (const auto& algorithm : algorithms) {
        for (const Rank ranks : {4, 13, 30}) {
            CAPTURE(entry.name, algorithm.name, ranks);
            Settings settings = small_settings(entry);
            settings.set("algorithm", std::string(algorithm.name));
            check_estimate(entry, settings, ranks);
        }
    }
}

}  // namespace

TEST_CASE("every program sends what was estimated") {
    for (const ProgramEntry* const each : programs()) {
        const ProgramEntry& entry = *each;
        for (const Rank ranks : {2, 3, 6, 16, 29}) {
            CAPTURE(entry.name, ranks);
            Settings settings = small_settings(entry, ranks);
            check_estimate(entry, settings, ranks);
            if (!entry.declares("repeat")) continue;
            settings.set("repeat", std::int64_t{3});
            check_estimate(entry, settings, ranks);
        }
    }
}

TEST_CASE("estimates hold for every algorithm") {
    for (const std::string_view name : {"transposition", "alltoallv"}) {
        check_algorithms(find_program(name), alltoallv_algorithms());
    }
    for (const std::string_view name : {"gcr", "allreduce"})
        check_algorithms(find_program(name), allreduce_algorithms());
    for (const std::string_view name : {"halo", "neighbor"}) {
        std::vector<NeighborAlgorithm> algorithms;
        std::ranges::copy_if(neighbor_algorithms(), std::back_inserter(algorithms),
                             [](const auto& algorithm) { return algorithm.prepare == nullptr; });
        check_algorithms(find_program(name), algorithms);
    }
}

TEST_CASE("estimates hold for every protocol, with its go-aheads") {
    for (const ProtocolEntry& protocol : protocols()) {
        for (const auto& [name, algorithm] :
             {std::pair<std::string_view, std::string>{"alltoallv", "swtrans"},
              {"alltoallv", "ring_k"},
              {"transposition", "logtrans"},
              {"allreduce", "halfsum"},
              {"gcr", "recursive_k"},
              {"halo", "pairwise"},
              {"neighbor", "pairwise"}}) {
            CAPTURE(protocol.name, name, algorithm);
            Settings settings = small_settings(find_program(name));
            settings.set("algorithm", algorithm);
            settings.set("protocol", std::string(protocol.name));
            check_estimate(find_program(name), settings, 12);
        }
    }
}

TEST_CASE("estimates hold by puts, which send one message more for each") {
    for (const auto& [name, algorithm] :
         {std::pair<std::string_view, std::string>{"alltoallv", "swtrans"},
          {"alltoallv", "bruck_k"},
          {"transposition", "logtrans"},
          {"transposition", "ring_k"},
          {"allreduce", "halfsum"},
          {"gcr", "recursive_k"}}) {
        for (const char* const protocol : {"default", "(0,2)", "(1,1)", "(2,1)"}) {
            CAPTURE(name, algorithm, protocol);
            Settings settings = small_settings(find_program(name));
            settings.set("algorithm", algorithm);
            const Estimate two_sided = find_program(name).estimate(settings, 12);
            settings.set("transport", std::string("puts"));
            settings.set("protocol", std::string(protocol));
            check_estimate(find_program(name), settings, 12);
            const Estimate by_puts = find_program(name).estimate(settings, 12);
            CHECK_EQ(by_puts.messages, 2 * two_sided.messages);
            CHECK_EQ(by_puts.bytes, two_sided.bytes);
        }
    }
}

TEST_CASE("estimates hold for fields that go both ways, single stages and short solutions") {
    const ProgramEntry& transposition = find_program("transposition");
    Settings both_ways = small_settings(transposition);
    both_ways.set("backward", true);
    both_ways.set("fields", std::int64_t{3});
    both_ways.set("element_size", std::int64_t{4});
    both_ways.set("processes", Numbers{7, 4});
    check_estimate(transposition, both_ways, 28);
    for (const char* stage : {"all", "xz", "xy", "yz"}) {
        CAPTURE(stage);
        Settings single = small_settings(transposition);
        single.set("stage", std::string(stage));
        single.set("processes", Numbers{7, 4});
        check_estimate(transposition, single, 28);
    }
    for (const std::int64_t iterations : {1, 2, 5, 6, 7}) {
        CAPTURE(iterations);
        Settings solver;
        solver.set("iterations", iterations);
        solver.set("restart", std::int64_t{6});
        check_estimate(find_program("gcr"), solver, 7);
    }
}

TEST_CASE("estimates of wide and degenerate halos hold") {
    for (const std::int64_t width : {1, 8, 13, 29}) {
        for (const Numbers& processes :
             {Numbers{1, 1}, Numbers{7, 2}, Numbers{2, 9}, Numbers{1, 12}}) {
            CAPTURE(width, processes[0], processes[1]);
            Settings settings = small_settings(find_program("halo"));
            settings.set("width", width);
            settings.set("processes", processes);
            settings.set("fields", std::int64_t{2});
            check_estimate(find_program("halo"), settings, processes[0] * processes[1]);
        }
    }
}

TEST_CASE("a transposition at full scale is estimated from its group sizes") {
    Settings settings;
    settings.set("grid", Numbers{28800, 14400, 256});
    settings.set("algorithm", std::string("burst"));
    const Estimate estimate = find_program("transposition").estimate(settings, 100'000);
    CHECK_EQ(estimate.messages, 1e5 * (249 + 399 + 249));
    const double field = 28800.0 * 14400 * 256 * 8;
    CHECK(std::abs(estimate.bytes / (field * (2 * 249.0 / 250 + 399.0 / 400)) - 1) < 1e-3);
}

TEST_CASE("unknown programs and settings are errors that name the known ones") {
    CHECK(message_of("transpose", {}, 4).find("transposition, halo, gcr") != std::string::npos);
    for (const ProgramEntry* const each : programs()) {
        const ProgramEntry& entry = *each;
        CAPTURE(entry.name);
        Settings settings = small_settings(entry);
        settings.set("radxi", std::int64_t{4});
        const std::string message = message_of(entry.name, settings, 4);
        CHECK(message.find("\"radxi\"") != std::string::npos);
        for (const Declaration* const declared : entry.settings)
            CHECK(message.find(declared->key) != std::string::npos);
        CHECK_THROWS_AS(entry.estimate(settings, 4), ConfigError);
    }
}

TEST_CASE("bad values are refused with what is allowed") {
    const auto with = [](std::string_view name, const std::string& key, Settings::Value value,
                         Rank ranks = 4) {
        Settings settings = small_settings(find_program(name));
        settings.set(key, std::move(value));
        return message_of(name, settings, ranks);
    };
    const auto whole = [&](std::string_view name, const std::string& key, std::int64_t value) {
        return with(name, key, value);
    };
    CHECK_EQ(with("transposition", "processes", Numbers{32, 1}, 32),
             "process grid 32 x 1: y has 29 points and is cut by cx = 32; cx may be at most 29");
    CHECK_EQ(with("transposition", "grid", Numbers{4, 4}),
             "grid = [4, 4] is not a list of 3 numbers in 1..1073741824");
    CHECK_EQ(whole("halo", "width", 30), "width = 30 is not in 1..29, the y extent of the grid");
    CHECK_EQ(with("transposition", "stage", std::string("zz")),
             "stage = \"zz\" is unknown; known are: all, xz, xy, yz");
    CHECK_EQ(whole("halo", "repeat", 0), "repeat = 0 is not in 1..1073741824");
    CHECK(whole("gcr", "radix", 1).starts_with("radix = 1 is not in 2.."));
    CHECK(with("gcr", "algorithm", std::string("magic")).find("recursive_k") != std::string::npos);
    CHECK(with("transposition", "algorithm", std::string("magic")).find("ring_k") !=
          std::string::npos);
    CHECK(with("gcr", "protocol", std::string("(7,7)")).find("(1,6) synchronous") !=
          std::string::npos);
    CHECK(with("alltoallv", "protocol", std::string("(7,7)")).starts_with("there is no protocol"));
    CHECK_EQ(with("gcr", "transport", std::string("pigeons")),
             "transport = \"pigeons\" is unknown; known are: two_sided, puts");
    CHECK(with("gcr", "flops", -1.0).starts_with("flops = -1"));
    CHECK(whole("allreduce", "bytes", 12).starts_with("bytes = 12 is not a multiple of 8"));
    CHECK(
        whole("alltoallv", "bytes", 1'000'000'000'000'000'000).starts_with("data of 4e+18 bytes"));
    CHECK(whole("transposition", "fields", 1 << 30).starts_with("no error"));
    CHECK_EQ(with("transposition", "backward", std::int64_t{1}),
             "setting \"backward\" has the wrong type");
    CHECK_EQ(message_of("pingpong", {}, 1), "pingpong: ranks = 1 must be at least 2");
    CHECK_EQ(message_of("allreduce", {}, 0), "program: ranks = 0 is not in 1..1073741824");
    CHECK_EQ(message_of("halo", {}, 4), "setting \"grid\" is missing");
}

TEST_CASE("a program refuses to start on another number of ranks") {
    const Program made = find_program("allreduce").make({}, 4);
    CHECK_THROWS_AS(simcomm::run_virtual(5, made), ConfigError);
}

/// Tests that results do not depend on the number of threads, under every topology and rule.
#include <string>
#include <vector>

#include "support/machine.hpp"
#include "support/network_machines.hpp"
#include "testing.hpp"
#include "tradewind/skeleton/program.hpp"

using namespace support;

namespace {

struct Pattern {
    const char* program;
    Settings settings;
};

std::vector<Pattern> patterns() {
    using Whole = std::int64_t;
    return {
        {"transposition",
         Settings({{"grid", Integers{32, 32, 16}}, {"algorithm", std::string("burst")}})},
        {"transposition", Settings({{"grid", Integers{30, 20, 16}},
                                    {"algorithm", std::string("ring_k")},
                                    {"radix", Whole{3}}})},
        {"halo",
         Settings({{"grid", Integers{40, 40, 8}}, {"width", Whole{3}}, {"repeat", Whole{2}}})},
        {"gcr",
         Settings({{"grid", Integers{40, 40, 8}}, {"width", Whole{1}}, {"iterations", Whole{2}}})}};
}

Settings only_known(const Pattern& pattern) {
    Settings result;
    for (const auto& [key, value] : pattern.settings.values()) {
        for (const auto known : tradewind::skeleton::program(pattern.program).keys) {
            if (known == key) result.set(key, value);
        }
    }
    return result;
}

void check_same(Sections sections, const Program& program, Rank ranks) {
    sections["simulation"].set("threads", std::int64_t{1});
    sections["simulation"].set("matrix_bins", std::int64_t{4});
    const auto one = simcomm::simulate(sections, program, ranks).run;
    for (const std::int64_t threads : {2, 3, 4}) {
        CAPTURE(threads);
        sections["simulation"].set("threads", threads);
        const auto more = simcomm::simulate(sections, program, ranks).run;
        CHECK_EQ(more.hash, one.hash);
        CHECK_EQ(more.time, one.time);
        CHECK_EQ(more.messages, one.messages);
        CHECK_EQ(more.bytes, one.bytes);
        CHECK_EQ(more.network.packets, one.network.packets);
        CHECK_EQ(more.network.packet_hops, one.network.packet_hops);
        CHECK_EQ(more.network.events, one.network.events);
        CHECK_EQ(more.network.delay.mean(), one.network.delay.mean());
        CHECK_EQ(more.network.delay.maximum(), one.network.delay.maximum());
        CHECK(more.network.matrices.delay == one.network.matrices.delay);
        CHECK(more.network.utilisation == one.network.utilisation);
    }
}

}  // namespace

TEST_CASE("completion times do not depend on the number of threads on any topology with any rule") {
    for (const auto& [topology, shape, rule] : network_machines()) {
        for (const Pattern& pattern : patterns()) {
            CAPTURE(topology, rule, pattern.program);
            const auto program = skeleton::make_program(pattern.program, only_known(pattern), 16);
            check_same(machine(topology, shape, rule), program, 16);
        }
    }
}

TEST_CASE(
    "completion times do not depend on the number of threads in any model of network and node") {
    const auto pattern = patterns().front();
    const auto program = skeleton::make_program(pattern.program, pattern.settings, 24);
    for (const std::string network : {"packet", "packet_unbounded", "analytic"}) {
        for (const std::string arbitration : {"first_come", "round_robin"}) {
            for (const std::string model : {"AMM1", "AMM2", "AMM3"}) {
                CAPTURE(network, arbitration, model);
                Sections sections = torus_machine({3, 4});
                sections["simulation"].set("network", network);
                sections["switch"].set("arbitration", arbitration);
                sections["switch"].set("crossbar_bandwidth", 3e9);
                sections["node"].set("model", model);
                sections["node"].set("ranks_per_node", std::int64_t{2});
                sections["nic"].set("per_node", std::int64_t{2});
                sections["placement"].set("rule", std::string("round_robin"));
                check_same(sections, program, 24);
            }
        }
    }
}

TEST_CASE("another seed changes the times of a random rule, the same seed does not") {
    Sections sections = torus_machine({4, 4});
    sections["routing"].set("name", std::string("valiant"));
    const auto pattern = patterns().front();
    const auto program = skeleton::make_program(pattern.program, pattern.settings, 16);
    const auto first = simcomm::simulate(sections, program, 16).run.hash;
    CHECK_EQ(simcomm::simulate(sections, program, 16).run.hash, first);
    sections["simulation"].set("seed", std::int64_t{2});
    CHECK(simcomm::simulate(sections, program, 16).run.hash != first);
}

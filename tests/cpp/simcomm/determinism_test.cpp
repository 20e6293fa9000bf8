/// Tests that results do not depend on the number of threads, under every topology and rule.
#include <string>

#include "support/communication_patterns.hpp"
#include "support/machine.hpp"
#include "support/network_machines.hpp"
#include "testing.hpp"

using namespace support;

namespace {

void check_same(Sections sections, const Program& program, Rank ranks) {
    sections["simulation"].set("threads", std::int64_t{1});
    sections["simulation"].set("matrix_bins", std::int64_t{4});
    const auto one = simcomm::simulate(sections, program, ranks).run;
    for (const std::int64_t threads : {2, 3, 4}) {
        CAPTURE(threads);
        sections["simulation"].set("threads", threads);
        const auto more = simcomm::simulate(sections, program, ranks).run;
        check_equal_runs(more, one);
    }
}

}  // namespace

TEST_CASE("completion times do not depend on the number of threads on any topology with any rule") {
    for (const auto& [topology, shape, rule] : network_machines()) {
        for (const Pattern& pattern : patterns()) {
            CAPTURE(topology, rule, pattern.program);
            const auto program = make(pattern, 16);
            check_same(machine(topology, shape, rule), program, 16);
        }
    }
}

TEST_CASE(
    "completion times do not depend on the number of threads in any model of network and node") {
    const auto pattern = patterns().front();
    const auto program = make(pattern, 24);
    for_each_model([&](const Sections& sections) { check_same(sections, program, 24); });
}

TEST_CASE("another seed changes the times of a random rule, the same seed does not") {
    Sections sections = torus_machine({4, 4});
    sections["routing"].set("name", std::string("valiant"));
    const auto pattern = patterns().front();
    const auto program = make(pattern, 16);
    const auto first = simcomm::simulate(sections, program, 16).run.hash;
    CHECK_EQ(simcomm::simulate(sections, program, 16).run.hash, first);
    sections["simulation"].set("seed", std::int64_t{2});
    CHECK(simcomm::simulate(sections, program, 16).run.hash != first);
}

/// Tests that processes that share a simulation get the result of a single process.
#include <string>

#include "joint_runs.hpp"
#include "support/communication_patterns.hpp"
#include "support/network_machines.hpp"
#include "testing.hpp"

using namespace support;

namespace {

/// Checks that a shared run and one of a single process agree; shared runs alternate between one
/// and two threads per process.
void check_same(Sections sections, const Program& program, Rank ranks) {
    static std::int64_t runs = 0;
    slow_down_links(sections);
    auto& simulation = sections["simulation"];
    simulation.set("matrix_bins", std::int64_t{4});
    simulation.set("threads", std::int64_t{1});
    const auto one = simcomm::simulate(sections, program, ranks).run;
    const std::int64_t threads = 1 + runs++ % 2;
    CAPTURE(threads);
    simulation.set("threads", threads);
    const auto joint = run_jointly(sections, program, ranks);
    CHECK_EQ(joint.hash, one.hash);
    CHECK_EQ(joint.time, one.time);
    CHECK_EQ(joint.bytes, one.bytes);
    if (is_first_process()) check_equal_runs(joint, one);
}

}  // namespace

TEST_CASE("results do not depend on the number of processes on any topology with any rule") {
    std::size_t next = 0;
    for (const auto& [topology, shape, rule] : network_machines()) {
        const auto all = patterns();
        const Pattern& pattern = all[next % all.size()];
        // A period of 3 combines each of the 4 patterns and each of the 2 numbers of threads with
        // both protocols.
        const bool is_eager = next++ % 3 == 0;
        CAPTURE(topology, rule, pattern.program, is_eager);
        Sections sections = machine(topology, shape, rule);
        sections["message"].set("eager_limit", std::int64_t{is_eager ? 1 << 20 : 128});
        check_same(sections, make(pattern, 16), 16);
    }
}

TEST_CASE("results do not depend on the number of processes in any model of network and node") {
    const auto program = make(patterns().front(), 24);
    for_each_model([&](const Sections& sections) { check_same(sections, program, 24); });
}

TEST_CASE("time lines and links are the same on any number of processes") {
    Sections sections = torus_machine({3, 3}, 2);
    sections["simulation"].set("timeline", true);
    sections["simulation"].set("link_details", true);
    sections["simulation"].set("link_map_bins", std::int64_t{2});
    const auto program = make(patterns()[2], 16);
    const auto one = simcomm::simulate(sections, program, 16).run;
    const auto joint = run_jointly(sections, program, 16);
    if (!is_first_process()) return;
    CHECK(!one.marks.empty());
    CHECK_EQ(joint.marks.size(), one.marks.size());
    for (std::size_t i = 0; i < std::min(joint.marks.size(), one.marks.size()); ++i) {
        CHECK_EQ(joint.marks[i].rank, one.marks[i].rank);
        CHECK_EQ(joint.marks[i].phase, one.marks[i].phase);
        CHECK_EQ(joint.marks[i].begin, one.marks[i].begin);
        CHECK_EQ(joint.marks[i].end, one.marks[i].end);
    }
    CHECK(!one.network.timeline.empty());
    CHECK_EQ(joint.network.timeline.size(), one.network.timeline.size());
    for (std::size_t i = 0;
         i < std::min(joint.network.timeline.size(), one.network.timeline.size()); ++i) {
        const auto& mine = joint.network.timeline[i];
        const auto& expected = one.network.timeline[i];
        CHECK_EQ(mine.source_rank, expected.source_rank);
        CHECK_EQ(mine.sent, expected.sent);
        CHECK_EQ(mine.arrived, expected.arrived);
        CHECK_EQ(mine.delay, expected.delay);
    }
    CHECK_EQ(joint.network.link_records.size(), one.network.link_records.size());
    for (std::size_t i = 0; i < one.network.link_records.size(); ++i) {
        CHECK_EQ(joint.network.link_records[i].here, one.network.link_records[i].here);
        CHECK_EQ(joint.network.link_records[i].bytes, one.network.link_records[i].bytes);
    }
    const auto& maps = one.network.link_map;
    CHECK(!maps.empty());
    CHECK_EQ(joint.network.link_map.size(), maps.size());
    for (std::size_t i = 0; i < std::min(joint.network.link_map.size(), maps.size()); ++i) {
        const auto& mine = joint.network.link_map[i];
        CHECK_EQ(mine.panel.name, maps[i].panel.name);
        CHECK(mine.links == maps[i].links);
        CHECK(mine.bytes == maps[i].bytes);
        CHECK(mine.waiting == maps[i].waiting);
        CHECK(mine.utilisation_mean == maps[i].utilisation_mean);
        CHECK(mine.utilisation_max == maps[i].utilisation_max);
    }
}

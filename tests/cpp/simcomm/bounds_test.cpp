/// Tests of all-to-all times against lower bounds of networks, and of packet trains against small
/// packets.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "support/machine.hpp"
#include "support/network_machines.hpp"
#include "testing.hpp"
#include "tradewind/catalogue/programs.hpp"
#include "tradewind/comm/alltoallv/alltoallv.hpp"
#include "tradewind/sim/topology/catalogue.hpp"
#include "tradewind/simcomm/assemble.hpp"

using namespace support;

namespace {

constexpr double bandwidth = 1e9;

Program alltoallv(const std::string& algorithm, Bytes bytes, Rank ranks, std::int64_t radix = 0) {
    Settings settings({{"algorithm", algorithm}, {"bytes", std::int64_t{bytes}}});
    if (radix > 0) settings.set("radix", radix);
    return find_program("alltoallv").make(settings, ranks);
}

double seconds_of(const Sections& sections, const Program& program, Rank ranks) {
    return seconds(simcomm::simulate(sections, program, ranks).run.time);
}

bool sends_directly(std::string_view algorithm) {
    return algorithm.find("bruck") == std::string_view::npos;
}

Sections roomy(Sections sections) {
    for (const char* const part : {"switch", "nic"})
        sections[part].set("buffer", std::int64_t{65536});
    return sections;
}

}  // namespace

TEST_CASE(
    "an all-to-all is never faster than its interfaces allow, on any topology with any rule") {
    constexpr Bytes bytes = 4096;
    for (const auto& [topology, shape, rule] : network_machines()) {
        for (const auto& algorithm : alltoallv_algorithms()) {
            if (!sends_directly(algorithm.name)) continue;
            CAPTURE(topology, rule, algorithm.name);
            const auto program = alltoallv(std::string(algorithm.name), bytes, 16);
            CHECK(seconds_of(machine(topology, shape, rule), program, 16) >=
                  15 * double(bytes) / bandwidth);
        }
    }
}

TEST_CASE("an all-to-all on a torus is never faster than its bisection allows") {
    constexpr Bytes bytes = 2048;
    for (const Integers& extents :
         {Integers{16}, Integers{8, 2}, Integers{4, 4}, Integers{2, 12}}) {
        std::int64_t nodes = 1;
        for (const auto extent : extents) nodes *= extent;
        const auto longest = double(*std::ranges::max_element(extents));
        const double bound = double(nodes * bytes) * longest / (8 * bandwidth);
        for (const std::string rule : {"minimal", "valiant", "ugal"}) {
            for (const std::string algorithm : {"burst", "ring", "pairwise"}) {
                CAPTURE(nodes, longest, rule, algorithm);
                Sections sections = torus_machine(extents);
                sections["routing"].set("name", rule);
                sections["nic"].set("injection_bandwidth", 100 * bandwidth);
                CHECK(seconds_of(sections, alltoallv(algorithm, bytes, nodes), nodes) >= bound);
            }
        }
    }
}

TEST_CASE("an all-to-all on a dragonfly is never faster than its global links allow") {
    constexpr Bytes bytes = 4096;
    for (const auto& [topology, shape, rule] : network_machines()) {
        if (!topology.starts_with("dragonfly")) continue;
        const auto built = sim::make_topology(topology, shape);
        std::int64_t global = 0;
        for (sim::SwitchId here = 0; here < built->switches(); ++here) {
            for (sim::PortId port = 0; port < built->radix(); ++port) {
                const auto link = built->neighbour(here, port);
                if (link.to != sim::no_switch &&
                    link.link_class == std::int32_t(built->link_classes().size()) - 1) {
                    ++global;
                }
            }
        }
        const Rank nodes = built->nodes();
        const auto groups = double(built->coordinates(built->switches() - 1).back() + 1);
        CAPTURE(topology, rule, global, groups);
        const double bound = double(nodes) * double(nodes) * double(bytes) * (1 - 1 / groups) /
                             (double(global) * bandwidth);
        Sections sections = machine(topology, shape, rule);
        sections["nic"].set("injection_bandwidth", 100 * bandwidth);
        CHECK(seconds_of(sections, alltoallv("burst", bytes, nodes), nodes) >= bound);
    }
}

TEST_CASE(
    "a balanced all-to-all comes close to the injection bound where the network is not the limit") {
    constexpr Bytes bytes = 100'000;
    const double bound = 15 * double(bytes) / bandwidth;
    for (const auto& [topology, shape, unused] : network_shapes()) {
        if (topology != "star" && topology != "fat_tree") continue;
        for (const std::string algorithm : {"ring", "pairwise"}) {
            CAPTURE(topology, algorithm);
            const double time =
                seconds_of(roomy(machine(topology, shape)), alltoallv(algorithm, bytes, 16), 16);
            CHECK(time >= bound);
            CHECK(time <= 1.15 * bound);
        }
    }
}

TEST_CASE("packet trains carry the same bytes in about the same time as small packets") {
    constexpr Bytes bytes = 1'600'000;
    for (const std::string network : {"packet", "packet_unbounded"}) {
        for (const std::string algorithm : {"ring", "burst"}) {
            CAPTURE(network, algorithm);
            Sections sections = roomy(torus_machine({4, 4}));
            sections["simulation"].set("network", network);
            sections["simulation"].set("packet_size", std::int64_t{4096});
            const auto program = alltoallv(algorithm, bytes, 16);
            const auto exact = simcomm::simulate(sections, program, 16).run;
            sections["simulation"].set("packet_size", std::int64_t{0});
            sections["simulation"].set("error_target", 0.05);
            const auto trains = simcomm::simulate(sections, program, 16).run;
            CHECK_EQ(trains.network.bytes, exact.network.bytes);
            CHECK_EQ(trains.network.bytes, 16 * 15 * bytes);
            CHECK(trains.network.packets < exact.network.packets / 2);
            CHECK(std::abs(double(trains.time) / double(exact.time) - 1.0) < 0.05);
        }
    }
}

TEST_CASE("trains are single packets where they would not behave as their packets") {
    constexpr Bytes bytes = 1'600'000;
    struct Change {
        const char* section;
        const char* key;
        Settings::Value value;
        const char* rule;
    };
    const auto changed = [](const Change& change, Bytes packet_size) {
        Sections sections = roomy(torus_machine({3, 3}, 4));
        if (*change.section != '\0') sections[change.section].set(change.key, change.value);
        sections["routing"].set("name", std::string(change.rule));
        sections["simulation"].set("packet_size", std::int64_t{packet_size});
        return sections;
    };
    const auto run = [&](const Change& change, Bytes packet_size) {
        const auto program = alltoallv("ring_k", bytes, 36, 4);
        return simcomm::simulate(changed(change, packet_size), program, 36).run;
    };
    const auto packets = [&](const Change& change, Bytes packet_size) {
        return run(change, packet_size).network.packets;
    };
    const Change nothing{"", "", std::int64_t{0}, "dimension_order"};
    CHECK(packets(nothing, 0) < packets(nothing, 4096) / 3);
    // Where routes do not meet at every link, as they do on a torus, trains are longer.
    Sections star = roomy(star_machine(36));
    star["simulation"].set("packet_size", std::int64_t{4096});
    const auto program = alltoallv("ring_k", bytes, 36, 4);
    const auto exact = simcomm::simulate(star, program, 36).run.network.packets;
    star["simulation"].set("packet_size", std::int64_t{0});
    CHECK(simcomm::simulate(star, program, 36).run.network.packets < exact / 8);
    const std::vector<Change> changes{{"link", "bandwidth", 100 * bandwidth, "dimension_order"},
                                      {"switch", "buffer", std::int64_t{16384}, "dimension_order"},
                                      {"nic", "buffer", std::int64_t{16384}, "dimension_order"},
                                      {"", "", std::int64_t{0}, "valiant"},
                                      {"", "", std::int64_t{0}, "ugal"}};
    for (const Change& change : changes) {
        CAPTURE(std::string(change.section), std::string(change.key), std::string(change.rule));
        const auto found = run(change, 0);
        const auto single = run(change, 4096);
        CHECK_EQ(found.network.packets, single.network.packets);
        CHECK_EQ(found.hash, single.hash);
        // Nothing is kept for trains that nobody makes.
        const simcomm::ExpectedTraffic traffic{.messages = 1e3, .bytes = 1e9};
        CHECK_EQ(simcomm::predict(changed(change, 0), 36, traffic).address_bytes,
                 simcomm::predict(changed(change, 4096), 36, traffic).address_bytes);
    }
}

TEST_CASE("trains on a tree with fewer links up than down are as short as on a torus") {
    const auto program = alltoallv("ring_k", 1'600'000, 36, 4);
    const auto packets = [&](const std::vector<std::int64_t>& parents) {
        const std::vector<std::int64_t> children{4, 3, 3};
        const Settings shape({{"children", children}, {"parents", parents}});
        Sections sections = roomy(machine("xgft", shape, "d_mod_k"));
        sections["simulation"].set("packet_size", std::int64_t{0});
        return simcomm::simulate(sections, program, 36).run.network.packets;
    };
    const auto full = packets({1, 4, 3});
    CHECK_EQ(packets({1, 8, 6}), full);
    CHECK(packets({1, 2, 3}) > 3 * full);
    CHECK(packets({1, 4, 2}) > 3 * full);
    Sections torus = roomy(torus_machine({3, 3}, 4));
    torus["simulation"].set("packet_size", std::int64_t{0});
    CHECK_EQ(packets({1, 2, 3}), simcomm::simulate(torus, program, 36).run.network.packets);
}

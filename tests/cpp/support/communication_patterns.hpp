/// Communication patterns for runs that are compared, and the comparison.
#pragma once

#include <string>
#include <vector>

#include "support/machine.hpp"
#include "testing.hpp"
#include "tradewind/catalogue/programs.hpp"

namespace support {

struct Pattern {
    const char* program;
    Settings settings;
};

inline std::vector<Pattern> patterns() {
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

inline Program make(const Pattern& pattern, Rank ranks) {
    Settings known;
    for (const auto& [key, value] : pattern.settings.values()) {
        const ProgramEntry& entry = find_program(pattern.program);
        const bool is_option = key == "algorithm" || key == "radix";
        if (entry.declares(key) || is_option) known.set(key, value);
    }
    return find_program(pattern.program).make(known, ranks);
}

/// Returns a torus of 12 nodes with two ranks and two interfaces each.
inline Sections two_interfaces(const std::string& network, const std::string& model) {
    Sections sections = torus_machine({3, 4});
    sections["simulation"].set("network", network);
    sections["switch"].set("crossbar_bandwidth", 3e9);
    sections["node"].set("model", model);
    sections["node"].set("ranks_per_node", std::int64_t{2});
    sections["nic"].set("per_node", std::int64_t{2});
    sections["placement"].set("rule", std::string("round_robin"));
    return sections;
}

/// Calls `check(sections)` for nodes with two NUMA domains, whose ranks take interfaces in every
/// way.
template <class Check>
void for_each_affinity(const Check& check) {
    for (const std::string network : {"packet", "packet_unbounded", "analytic"}) {
        for (const std::string affinity : {"block", "message", "stripe"}) {
            CAPTURE(network, affinity);
            Sections sections = two_interfaces(network, "AMM2");
            sections["node"].set("numa_domains", std::int64_t{2});
            sections["nic"].set("affinity", affinity);
            sections["message"].set("eager_limit", std::int64_t{128});
            check(sections);
        }
    }
}

/// Calls `check(sections)` for a torus in every model of network, arbitration and node.
template <class Check>
void for_each_model(const Check& check) {
    for (const std::string network : {"packet", "packet_unbounded", "analytic"}) {
        for (const std::string arbitration : {"first_come", "round_robin"}) {
            for (const std::string model : {"AMM1", "AMM2", "AMM3"}) {
                CAPTURE(network, arbitration, model);
                Sections sections = two_interfaces(network, model);
                sections["switch"].set("arbitration", arbitration);
                check(sections);
            }
        }
    }
    for_each_affinity(check);
}

/// Checks that two runs agree in all results that must not depend on the distribution of the work.
inline void check_equal_runs(const simcomm::RunResult& more, const simcomm::RunResult& one) {
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
    CHECK_EQ(more.network.utilisation_mean, one.network.utilisation_mean);
    CHECK_EQ(more.network.utilisation_max, one.network.utilisation_max);
    for (const double share : {0.1, 0.5, 0.99})
        CHECK_EQ(more.network.delay.quantile(share), one.network.delay.quantile(share));
    CHECK_EQ(more.phases.size(), one.phases.size());
    for (std::size_t i = 0; i < std::min(more.phases.size(), one.phases.size()); ++i) {
        CHECK_EQ(more.phases[i].name, one.phases[i].name);
        CHECK_EQ(more.phases[i].mean(), one.phases[i].mean());
        CHECK_EQ(more.phases[i].last, one.phases[i].last);
    }
}

}  // namespace support

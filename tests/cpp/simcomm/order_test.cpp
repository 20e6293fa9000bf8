/// Tests that messages of equal envelopes are received in the order of sending under every routing
/// rule.
#include <string>

#include "support/machine.hpp"
#include "support/network_machines.hpp"
#include "support/ordered_messages.hpp"
#include "testing.hpp"

using namespace support;

TEST_CASE("messages of equal envelopes never overtake each other under any rule") {
    for (const auto& [topology, shape, rule] : network_machines()) {
        for (const std::int64_t per_node : {1, 2}) {
            CAPTURE(topology, rule, per_node);
            Sections sections = machine(topology, shape, rule);
            sections["node"].set("ranks_per_node", per_node);
            for (const char* const part : {"switch", "nic"})
                sections[part].set("buffer", std::int64_t{512});
            int wrong = 0;
            const Program program = [&](Comm& comm) { return exchange_all(comm, wrong); };
            (void)simcomm::simulate(sections, program, 16);
            CHECK_EQ(wrong, 0);
        }
    }
}

TEST_CASE("messages arrive in order although their packets overtake each other") {
    Sections sections = machine("torus", Settings({{"extents", Integers{8, 8}}}), "valiant");
    int wrong = 0;
    const Program program = [&](Comm& comm) { return exchange_all(comm, wrong); };
    const auto first = simcomm::simulate(sections, program, 64);
    CHECK_EQ(wrong, 0);
    for (const std::int64_t threads : {2, 3}) {
        sections["simulation"].set("threads", threads);
        // `wrong` must not be shared between threads; this run only compares the times.
        const Program quiet = [](Comm& comm) {
            static thread_local int ignored;
            return exchange_all(comm, ignored);
        };
        CHECK_EQ(simcomm::simulate(sections, quiet, 64).run.hash, first.run.hash);
    }
}

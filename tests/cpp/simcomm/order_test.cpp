/// Tests that messages of equal envelopes are received in the order of sending under every routing
/// rule.
#include <algorithm>
#include <string>
#include <vector>

#include "support/machine.hpp"
#include "support/network_machines.hpp"
#include "testing.hpp"

using namespace support;

namespace {

constexpr int count = 40;

std::size_t size_of(int i) {
    constexpr std::size_t sizes[] = {3000, 1, 700, 0, 1500, 64, 256, 9000};
    return sizes[std::size_t(i) % 8];
}

/// Every rank sends `count` messages to the rank half way round, all with the same envelope.
Task exchange_all(Comm& comm, int& wrong) {
    const Rank partner = (comm.rank() + comm.size() / 2) % comm.size();
    const Rank source = (comm.rank() + comm.size() - comm.size() / 2) % comm.size();
    std::vector<Request> requests;
    std::vector<std::vector<std::byte>> in;
    std::vector<std::vector<std::byte>> out;
    for (int i = 0; i < count; ++i) {
        in.emplace_back(9000);
        out.push_back(pattern(size_of(i), std::uint64_t(i)));
        if (i < count / 2) requests.push_back(comm.irecv(source, view(in.back())));
    }
    for (int i = 0; i < count; ++i)
        requests.push_back(comm.isend(partner, view(out[std::size_t(i)])));
    co_await comm.compute({20'000, 0});
    for (int i = count / 2; i < count; ++i)
        requests.push_back(comm.irecv(source, view(in[std::size_t(i)])));
    co_await comm.wait_all(requests);
    for (std::size_t i = 0; i < std::size_t(count); ++i) {
        if (!std::equal(out[i].begin(), out[i].end(), in[i].begin())) ++wrong;
    }
}

}  // namespace

TEST_CASE("messages of equal envelopes never overtake each other under any rule") {
    for (const auto& [topology, shape, rule] : network_machines()) {
        for (const std::int64_t per_node : {1, 2}) {
            CAPTURE(topology, rule, per_node);
            Sections sections = machine(topology, shape, rule);
            sections["node"].set("ranks_per_node", per_node);
            sections["switch"].set("buffer", std::int64_t{512});
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
        // `wrong` is not shared safely between threads, and need not be: the times must agree.
        const Program quiet = [](Comm& comm) {
            static thread_local int ignored;
            return exchange_all(comm, ignored);
        };
        CHECK_EQ(simcomm::simulate(sections, quiet, 64).run.hash, first.run.hash);
    }
}

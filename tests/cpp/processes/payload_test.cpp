/// Tests that data between ranks of different processes arrive complete and in order.
#include <string>
#include <vector>

#include "joint_runs.hpp"
#include "support/network_machines.hpp"
#include "support/ordered_messages.hpp"
#include "testing.hpp"

using namespace support;

namespace {

/// Puts a block into the window of the rank half way round, which waits for its signal.
Task put_across(Comm& comm, std::size_t bytes, int& wrong) {
    const Rank half = comm.size() / 2;
    const Rank partner = (comm.rank() + half) % comm.size();
    const Rank source = (comm.rank() + comm.size() - half) % comm.size();
    std::vector<std::byte> memory(bytes + 8);
    const auto block = pattern(bytes, std::uint64_t(comm.rank()));
    const auto expected = pattern(bytes, std::uint64_t(source));
    // Every second rank opens its window late, so that the put into it has to wait.
    if (comm.rank() % 2 == 1) co_await comm.compute({500'000, 0});
    const Window window = comm.expose(view(memory), 2);
    Request put = comm.put(partner, window, 8, view(block), 1);
    co_await comm.wait_signal(window, 1, 1);
    co_await comm.wait(put);
    if (!std::equal(expected.begin(), expected.end(), memory.begin() + 8)) ++wrong;
}

}  // namespace

TEST_CASE("data arrive whole and in order on any number of processes under any rule") {
    // Small buffers make many windows: each machine is run on one of the numbers of processes.
    const int processes = all_processes().processes();
    const auto machines = network_machines();
    for (std::size_t n = 0; n < machines.size(); ++n) {
        if (processes > 1 && int(n % 3) != processes % 3) continue;
        const auto& [topology, shape, rule] = machines[n];
        const auto threads = std::int64_t(1 + n % 2);
        CAPTURE(topology, rule, threads);
        Sections sections = machine(topology, shape, rule);
        sections["node"].set("ranks_per_node", std::int64_t{2});
        sections["switch"].set("buffer", std::int64_t{512});
        slow_down_links(sections);
        std::vector<int> wrong(16);
        const Program program = [&](Comm& comm) {
            return exchange_all(comm, wrong[std::size_t(comm.rank())]);
        };
        const auto one = simcomm::simulate(sections, program, 16).run;
        sections["simulation"].set("threads", threads);
        CHECK_EQ(run_jointly(sections, program, 16).hash, one.hash);
        CHECK(wrong == std::vector<int>(16));
    }
}

TEST_CASE("puts reach windows on other processes, also before these are open") {
    for (const std::size_t bytes : {std::size_t{100}, std::size_t{5000}}) {
        CAPTURE(bytes);
        const Sections sections = torus_machine({4, 2});
        std::vector<int> wrong(8);
        const Program program = [&](Comm& comm) {
            return put_across(comm, bytes, wrong[std::size_t(comm.rank())]);
        };
        const auto one = simcomm::simulate(sections, program, 8).run;
        CHECK_EQ(run_jointly(sections, program, 8).hash, one.hash);
        CHECK(wrong == std::vector<int>(8));
    }
}

/// A coroutine of one's own on simulated ranks: wavefronts of a sweep over a square process grid.
///
/// Usage: wavefront [MACHINE.toml [RANKS]]     (a file of `tradewind machine export`)
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "tradewind/simcomm/assemble.hpp"
#include "tradewind/simcomm/machine_file.hpp"

namespace tw = tradewind;

/// A sweep in blocks of levels: each rank waits for its west and south neighbours, computes, and
/// sends to east and north.
struct Sweep {
    tw::Rank side = 1;
    std::int64_t blocks = 1;
    tw::Bytes edge = 0;
    tw::Work work;
};

static tw::Task sweep(tw::Comm& comm, const Sweep& plan) {
    const tw::Rank x = comm.rank() % plan.side;
    const tw::Rank y = comm.rank() / plan.side;
    for (std::int64_t block = 0; block < plan.blocks; ++block) {
        if (x > 0) co_await comm.recv(comm.rank() - 1, tw::Buffer(plan.edge));
        if (y > 0) co_await comm.recv(comm.rank() - plan.side, tw::Buffer(plan.edge));
        co_await comm.compute(plan.work);
        if (x + 1 < plan.side) co_await comm.send(comm.rank() + 1, tw::ConstBuffer(plan.edge));
        if (y + 1 < plan.side)
            co_await comm.send(comm.rank() + plan.side, tw::ConstBuffer(plan.edge));
    }
}

/// Returns a torus of 8 x 8 switches. Times are in ps, sizes in bytes, rates in bytes per second.
static tw::simcomm::Sections small_torus() {
    tw::simcomm::Sections machine;
    machine["topology"].set("name", std::string("torus"));
    machine["topology"].set("extents", std::vector<std::int64_t>{8, 8});
    machine["link"].set("bandwidth", 10e9);
    machine["link"].set("latency", std::int64_t{100'000});
    machine["nic"].set("injection_latency", std::int64_t{500'000});
    machine["message"].set("overhead_send", std::int64_t{250'000});
    machine["message"].set("overhead_receive", std::int64_t{250'000});
    machine["message"].set("eager_limit", std::int64_t{16'384});
    return machine;
}

static void print(const tw::simcomm::Outcome& outcome) {
    const tw::simcomm::RunResult& run = outcome.run;
    std::printf("%lld messages, %.2f MB\n", static_cast<long long>(run.messages),
                double(run.bytes) * 1e-6);
    std::printf("simulated time %.1f us\n", double(run.time) * 1e-6);
    const auto& links = run.network.links;
    const auto busiest =
        std::ranges::max_element(links, {}, [](const auto& kind) { return kind.utilisation_max; });
    if (busiest == links.end()) return;
    std::printf("busiest link: %s, used for %.0f %% of the time\n", busiest->name.c_str(),
                100.0 * busiest->utilisation_max);
}

int main(int count, char** arguments) {
    try {
        const auto machine =
            count > 1 ? tw::simcomm::read_machine_file(arguments[1]) : small_torus();
        const tw::Rank ranks = count > 2 ? std::atoll(arguments[2]) : 64;
        const auto side = tw::Rank(std::sqrt(double(ranks)));
        if (side < 1 || side * side != ranks) throw tw::ConfigError("RANKS must be a square");
        const Sweep plan{side, 20, 8192, {.flops = 1e5, .memory = 0}};
        print(tw::simcomm::simulate(
            machine, [&](tw::Comm& comm) { return sweep(comm, plan); }, ranks));
    } catch (const tw::Error& error) {
        std::fprintf(stderr, "wavefront: %s\n", error.what());
        return 2;
    }
}

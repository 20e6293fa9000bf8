/// The bare engine: tokens that hop between locations at random, without routing, ports or
/// messages. Its events per second are the upper limit of every network model. Prints JSON.
///
///     cmake -S . -B build/bench -DTRADEWIND_PYTHON=OFF && cmake --build build/bench --target bench_engine
///     build/bench/bench_engine
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "tradewind/base/random.hpp"
#include "tradewind/sim/kernel/engine.hpp"

using namespace tradewind;
using namespace tradewind::sim;

namespace {

constexpr Location locations = 46'875;  // the switches of dragonfly-ml
constexpr std::uint32_t tokens_per_location = 40;
constexpr std::uint32_t hops = 25;
constexpr Picoseconds width = 100'000;

struct Tokens {
    std::vector<std::uint64_t> state = std::vector<std::uint64_t>(locations);

    void seed(Worker& worker) {
        for (Location at = 0; at < locations; ++at) {
            if (!worker.owns(at)) continue;
            for (std::uint32_t i = 0; i < tokens_per_location; ++i) {
                Event event;
                event.time = Picoseconds(mix(at, i) % 400'000);
                event.location = at;
                event.target = i;
                event.message = hops;
                worker.schedule(event);
            }
        }
    }
    std::uint32_t foresee(const Event& event) noexcept {
        __builtin_prefetch(&state[event.location]);
        return 0;
    }
    void prefetch(const Worker& /*worker*/, const Event& /*event*/, std::uint32_t /*foreseen*/,
                  int /*round*/) noexcept {}
    void handle(Worker& worker, const Event& event, std::uint32_t /*foreseen*/) {
        std::uint64_t& own = state[event.location];
        own += std::uint64_t(event.time) + event.target;
        if (event.message == 0) return;
        const std::uint64_t bits = mix(own);
        Event next = event;
        next.time += width + Picoseconds(below(bits << 32, 400'000));
        next.location = below(bits, locations);
        --next.message;
        worker.schedule(next);
    }
};

}  // namespace

int main(int count, char** arguments) {
    const int threads = count > 1 ? std::atoi(arguments[1]) : 1;
    Tokens tokens;
    Engine<Tokens> engine(tokens, {width, {0, locations}, threads});
    const auto start = std::chrono::steady_clock::now();
    const std::clock_t cpu = std::clock();
    engine.run({});
    const double wall =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const double used = double(std::clock() - cpu) / CLOCKS_PER_SEC;
    std::printf(
        "{\"threads\": %d, \"events\": %lld, \"wall_s\": %.3f, \"cpu_s\": %.3f, "
        "\"events_per_cpu_s\": %.4g}\n",
        threads, static_cast<long long>(engine.events()), wall, used,
        double(engine.events()) / used);
}

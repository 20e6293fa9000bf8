/// Tests of the engine with toy models.
#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "testing.hpp"
#include "tradewind/base/random.hpp"
#include "tradewind/sim/kernel/engine.hpp"

using namespace tradewind;
using namespace tradewind::sim;

namespace {

constexpr Location locations = 37;

/// A model in which each event mixes itself into the state of its location, so that the order of
/// events has an effect, and sends others.
struct Tokens {
    Picoseconds width = 1000;
    std::uint32_t hops = 60;
    /// The location that throws once a token has made half of its hops.
    Location failing = locations;
    std::vector<std::uint64_t> state = std::vector<std::uint64_t>(locations);
    std::vector<Picoseconds> last = std::vector<Picoseconds>(locations);
    std::atomic<int> late{0};

    static Event token(Picoseconds time, Location location, std::uint64_t bits,
                       std::uint32_t left) {
        Event event;
        event.time = time;
        event.location = location;
        event.target = std::uint32_t(bits);
        event.bytes = std::uint32_t(bits >> 32);
        event.message = left;
        return event;
    }
    void seed(Worker& worker) {
        for (Location at = 0; at < locations; ++at) {
            if (!worker.owns(at)) continue;
            for (std::uint64_t i = 0; i < 3; ++i) {
                worker.schedule(token(Picoseconds(mix(at, i) % 5000), at, mix(at, i + 10), hops));
            }
        }
    }
    std::uint32_t foresee(const Event& /*event*/) noexcept { return 0; }
    void prefetch(const Worker& /*worker*/, const Event& /*event*/, std::uint32_t /*foreseen*/,
                  int /*stage*/) noexcept {}
    void handle(Worker& worker, const Event& event, std::uint32_t /*foreseen*/) {
        const Location here = event.location;
        if (event.time < last[here]) ++late;
        last[here] = event.time;
        state[here] = mix(state[here] ^ std::uint64_t(event.time), event.target);
        if (here == failing && event.message < hops / 2) throw std::runtime_error("token lost");
        if (event.message == 0) return;
        const std::uint64_t bits = mix(state[here]);
        if (bits % 4 == 0) {
            const auto soon = event.time + Picoseconds(bits % 97);
            worker.schedule(token(soon, here, bits, event.message - 1));
            return;
        }
        const Picoseconds pause = bits % 16 == 1 ? width * Picoseconds(bits / 16 % 5000) : 0;
        const Picoseconds time =
            event.time + width + pause + Picoseconds(mix(bits) % std::uint64_t(3 * width));
        worker.schedule(
            token(time, Location(mix(bits, 1) % locations), mix(bits, 2), event.message - 1));
    }
};

struct Result {
    std::vector<std::uint64_t> state;
    std::int64_t events;
    std::int64_t windows;
    int late;
};

Result run(Picoseconds width, int threads, unsigned part_bits = 31) {
    Tokens tokens;
    tokens.width = width;
    Engine<Tokens> engine(tokens, {width, {0, locations}, threads, nullptr, part_bits});
    engine.run({});
    return {tokens.state, engine.events(), engine.windows(), tokens.late};
}

/// A model with one token that moves for ever between two locations.
struct Endless {
    void seed(Worker& worker) {
        if (worker.index() == 0) worker.schedule(Event{});
    }
    std::uint32_t foresee(const Event& /*event*/) noexcept { return 0; }
    void prefetch(const Worker& /*worker*/, const Event& /*event*/, std::uint32_t /*foreseen*/,
                  int /*stage*/) noexcept {}
    void handle(Worker& worker, const Event& event, std::uint32_t /*foreseen*/) {
        Event next = event;
        next.time += 1000;
        next.location = locations - 1 - event.location;
        worker.schedule(next);
    }
};

/// A model with many events within one window, some of which differ only in values outside the
/// sorting keys.
struct Crowd {
    std::uint32_t count = 0;
    Picoseconds width = 1;
    std::vector<Event> handled{};
    int prefetched = 0;

    void seed(Worker& worker) {
        for (std::uint32_t i = 0; i < count; ++i) {
            const std::uint64_t bits = mix(i, std::uint64_t(width));
            Event event;
            event.time = bits >> 63 ? Picoseconds(mix(bits) % std::uint64_t(width))
                                    : Picoseconds(bits % 5) * ((width - 1) / 4);
            event.location = Location(bits >> 8 & 1U);
            event.kind = std::uint8_t(bits >> 16 & 7U);
            event.port = std::uint16_t(0xffff - (bits >> 24 & 1U));
            event.channel = std::uint8_t(0xff - (bits >> 32 & 1U));
            event.target = std::uint32_t(bits >> 40 & 7U);
            event.bytes = i;
            worker.schedule(event);
        }
    }
    std::uint32_t foresee(const Event& event) noexcept { return event.bytes + 1; }
    void prefetch(const Worker& /*worker*/, const Event& event, std::uint32_t foreseen,
                  int /*stage*/) noexcept {
        if (foreseen == event.bytes + 1) ++prefetched;
    }
    void handle(Worker& /*worker*/, const Event& event, std::uint32_t foreseen) {
        CHECK_EQ(foreseen, event.bytes + 1);
        handled.push_back(event);
    }
};

}  // namespace

TEST_CASE("crowds of events of one location are handled in their order") {
    for (const Picoseconds width : {Picoseconds{5}, Picoseconds{1} << 20, Picoseconds{1} << 40}) {
        for (const std::uint32_t count :
             {1U, 2U, 3U, 7U, 8U, 9U, 30U, 34U, 90U, 1000U, 1050U, 200'000U}) {
            CAPTURE(width, count);
            Crowd crowd{count, width};
            Engine<Crowd> engine(crowd, {width, {0, 2}});
            engine.run({});
            CHECK_EQ(crowd.handled.size(), count);
            CHECK_EQ(crowd.prefetched, 2 * int(count));
            CHECK(std::ranges::is_sorted(crowd.handled, [](const Event& a, const Event& b) {
                return a.location != b.location ? a.location < b.location : precedes(a, b);
            }));
        }
    }
}

TEST_CASE("an engine gives the same result for any number of workers and of parts of a window") {
    const Result one = run(1000, 1);
    CHECK(one.events > 3 * locations * 30);
    CHECK_EQ(one.late, 0);
    for (const int workers : {1, 2, 3, 4, int(locations)}) {
        for (const unsigned part_bits : {31U, 5U, 3U, 0U}) {
            if (workers > 4 && part_bits != 3U) continue;
            CAPTURE(workers, part_bits);
            const Result more = run(1000, workers, part_bits);
            CHECK(more.state == one.state);
            CHECK_EQ(more.events, one.events);
            CHECK_EQ(more.windows, one.windows);
            CHECK_EQ(more.late, 0);
        }
    }
}

TEST_CASE("events of a location are handled in the order of time in windows of any width") {
    for (const Picoseconds width : {Picoseconds{1}, Picoseconds{1000}, Picoseconds{1} << 31,
                                    Picoseconds{1} << 33, Picoseconds{1'000'000'000'000}}) {
        CAPTURE(width);
        CHECK_EQ(run(width, 1).late, 0);
    }
}

TEST_CASE("what a model throws on any worker stops all of them and comes out of run") {
    for (int workers = 1; workers <= 4; ++workers) {
        for (const Location failing : {Location{0}, Location{18}, locations - 1}) {
            CAPTURE(workers, failing);
            Tokens tokens;
            tokens.failing = failing;
            Engine<Tokens> engine(tokens, {tokens.width, {0, locations}, workers});
            std::string what;
            try {
                engine.run({});
            } catch (const std::runtime_error& error) {
                what = error.what();
            }
            CHECK_EQ(what, std::string("token lost"));
        }
    }
}

TEST_CASE("an event to another location within the window is refused") {
    struct Hasty {
        void seed(Worker& worker) {
            Event event;
            if (worker.index() == 0) worker.schedule(event);
        }
        std::uint32_t foresee(const Event& /*event*/) noexcept { return 0; }
        void prefetch(const Worker& /*worker*/, const Event& /*event*/, std::uint32_t /*foreseen*/,
                      int /*stage*/) noexcept {}
        void handle(Worker& worker, const Event& event, std::uint32_t /*foreseen*/) {
            Event next = event;
            next.location = 1;
            next.time += 999;
            worker.schedule(next);
        }
    };
    Hasty hasty;
    Engine<Hasty> engine(hasty, {1000, {0, 2 * Schedule::block_size}, 2});
    CHECK_THROWS_AS(engine.run({}), std::logic_error);
}

TEST_CASE("a run ends with Interrupted when progress says so") {
    for (int workers = 1; workers <= 3; ++workers) {
        CAPTURE(workers);
        Endless endless;
        Engine<Endless> engine(endless, {1000, {0, locations}, workers});
        int calls = 0;
        Picoseconds before = 0;
        const auto progress = [&](Picoseconds time) {
            CHECK(time > before);
            before = time;
            return ++calls < 2;
        };
        CHECK_THROWS_AS(engine.run(progress), Interrupted);
        CHECK_EQ(calls, 2);
    }
}

TEST_CASE("what progress throws stops all workers and comes out of run") {
    for (int workers = 1; workers <= 3; ++workers) {
        CAPTURE(workers);
        Endless endless;
        Engine<Endless> engine(endless, {1000, {0, locations}, workers});
        const auto progress = [](Picoseconds) -> bool { throw std::range_error("no more"); };
        CHECK_THROWS_AS(engine.run(progress), std::range_error);
    }
}

TEST_CASE("no thread leaves a barrier before all have come, whether the cores are idle or busy") {
    constexpr int threads = 5;
    constexpr int barriers = 2000;
    for (const bool is_busy : {false, true}) {
        CAPTURE(is_busy);
        SpinBarrier barrier(threads);
        std::vector<std::atomic<int>> come(barriers);
        std::atomic<int> early{0};
        std::vector<std::jthread> others;
        for (unsigned i = 0; is_busy && i < std::thread::hardware_concurrency(); ++i) {
            others.emplace_back([](const std::stop_token& stop) {
                while (!stop.stop_requested()) continue;
            });
        }
        std::vector<std::jthread> team;
        for (int i = 0; i < threads; ++i) {
            team.emplace_back([&] {
                for (std::atomic<int>& here : come) {
                    ++here;
                    barrier.arrive_and_wait();
                    if (here != threads) ++early;
                }
            });
        }
        team.clear();
        CHECK_EQ(early.load(), 0);
    }
}

TEST_CASE("an engine without events ends at once") {
    struct Idle {
        void seed(Worker& /*worker*/) {}
        std::uint32_t foresee(const Event& /*event*/) noexcept { return 0; }
        void prefetch(const Worker& /*worker*/, const Event& /*event*/, std::uint32_t /*foreseen*/,
                      int /*stage*/) noexcept {}
        void handle(Worker& /*worker*/, const Event& /*event*/, std::uint32_t /*foreseen*/) {}
    };
    Idle idle;
    Engine<Idle> engine(idle, {1000, {0, 2 * Schedule::block_size}, 2});
    engine.run({});
    CHECK_EQ(engine.windows(), 0);
    CHECK_EQ(engine.events(), 0);
}

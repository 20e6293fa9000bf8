/// Tests of EventQueue: a ring of near windows and a map of far ones.
#include <map>
#include <vector>

#include "testing.hpp"
#include "tradewind/base/random.hpp"
#include "tradewind/sim/kernel/event_queue.hpp"

using namespace tradewind;
using namespace tradewind::sim;

namespace {

constexpr std::int64_t ring = EventQueue::ring_size;

/// A queue that is used as one worker uses it.
struct Driven {
    ChunkPool pool;
    EventQueue queue;
    std::int64_t current = -1;

    void push(std::int64_t window, std::uint32_t number) {
        Event event;
        event.time = window;
        event.message = number;
        queue.push(event, window, current, pool);
    }
    /// Advances to the next window and takes its events.
    std::vector<Event> next() {
        const std::int64_t window = queue.next_window(current, pool);
        if (window == EventQueue::never) return {};
        if (window - current >= ring) queue.advance(window - 1, pool);
        current = window;
        queue.forget(window);
        std::vector<Event> events;
        for (Chunk* chunk = queue.take(window); chunk != nullptr;) {
            for (std::uint32_t i = 0; i < chunk->count; ++i) events.push_back(chunk->events[i]);
            Chunk* const after = chunk->next;
            pool.give(chunk);
            chunk = after;
        }
        return events;
    }
};

}  // namespace

TEST_CASE("an event queue without events has no next window") {
    Driven driven;
    CHECK_EQ(driven.queue.next_window(-1, driven.pool), EventQueue::never);
    driven.push(3, 0);
    CHECK_EQ(driven.next().size(), std::size_t{1});
    CHECK_EQ(driven.queue.next_window(3, driven.pool), EventQueue::never);
}

TEST_CASE("an event comes back from its window, however far away that is") {
    for (const std::int64_t window :
         {std::int64_t{0}, std::int64_t{1}, std::int64_t{63}, std::int64_t{64}, ring - 2, ring - 1,
          ring, ring + 1, 5 * ring, std::int64_t{1} << 40}) {
        CAPTURE(window);
        Driven driven;
        driven.push(window, 42);
        const auto events = driven.next();
        CHECK_EQ(driven.current, window);
        CHECK_EQ(events.size(), std::size_t{1});
        if (!events.empty()) CHECK_EQ(events[0].message, 42U);
    }
}

TEST_CASE("a window holds more events than one chunk") {
    Driven driven;
    const std::uint32_t count = 3 * Chunk::capacity + 5;
    for (std::uint32_t i = 0; i < count; ++i) driven.push(7, i);
    std::vector<bool> seen(count);
    for (const Event& event : driven.next()) seen[event.message] = true;
    for (std::uint32_t i = 0; i < count; ++i) CHECK(seen[i]);
}

TEST_CASE("near and far events of one window come together") {
    Driven driven;
    driven.push(ring + 5, 1);
    driven.push(10, 2);
    CHECK_EQ(driven.next().size(), std::size_t{1});
    driven.push(ring + 5, 3);
    CHECK_EQ(driven.next().size(), std::size_t{2});
    CHECK_EQ(driven.current, ring + 5);
}

TEST_CASE("an event queue gives each event once, window after window, under random traffic") {
    Driven driven;
    std::map<std::int64_t, std::int64_t> expected;
    std::uint32_t number = 0;
    const auto send = [&](std::int64_t ahead) {
        const std::int64_t window = driven.current + 1 + ahead;
        driven.push(window, number++);
        ++expected[window];
    };
    for (int i = 0; i < 50; ++i) send(i * 700);
    for (int step = 0; step < 100'000 && !expected.empty(); ++step) {
        const auto events = driven.next();
        CHECK_EQ(driven.current, expected.begin()->first);
        CHECK_EQ(std::int64_t(events.size()), expected.begin()->second);
        bool right = true;
        for (const Event& event : events) right &= event.time == driven.current;
        CHECK(right);
        expected.erase(expected.begin());
        if (number > 40'000) continue;
        for (std::size_t i = 0; i < events.size(); ++i) {
            const std::uint64_t bits = mix(number, 5);
            const std::uint32_t reach[] = {2, 60, 1023, 1024, 3000, 100'000};
            send(below(bits, reach[bits % 6]));
            if (bits % 64 == 0) send(below(mix(bits), 2000));
        }
    }
    CHECK(expected.empty());
}

TEST_CASE("a drained queue gives all near and far events once, and can be used again") {
    Driven driven;
    const std::vector<std::int64_t> windows{0, 3, 3, ring - 1, ring, 5 * ring + 7};
    for (int round = 0; round < 2; ++round) {
        std::uint32_t number = 0;
        for (const std::int64_t window : windows) driven.push(window, number++);
        // These are more events than a chunk holds.
        for (std::uint32_t i = 0; i < 2 * Chunk::capacity; ++i) driven.push(7, number++);
        std::vector<Event> all;
        driven.queue.drain(all, driven.pool);
        CHECK_EQ(all.size(), std::size_t{number});
        std::vector<int> seen(number);
        for (const Event& event : all) ++seen[event.message];
        CHECK(seen == std::vector<int>(number, 1));
        CHECK_EQ(driven.queue.next_window(driven.current, driven.pool), EventQueue::never);
    }
}

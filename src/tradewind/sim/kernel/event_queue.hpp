/// EventQueue: unsorted events of future windows, in chunks of flat memory; a ring for near
/// windows, a map for far ones.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "tradewind/base/fetch_ahead.hpp"
#include "tradewind/base/large_memory.hpp"
#include "tradewind/sim/kernel/event.hpp"

namespace tradewind::sim {

/// Events of a window in flat memory.
struct Chunk {
    static constexpr std::uint32_t capacity = 255;
    Chunk* next = nullptr;
    /// The number of events, which is counted elsewhere while the chunk is being filled.
    std::uint32_t count = 0;
    std::array<Event, capacity> events;
};

/// The chunks of one thread. Those that it frees may have come from another one.
class ChunkPool {
public:
    [[nodiscard]] Chunk* take(Chunk* next) {
        if (free_ == nullptr) refill();
        Chunk* const chunk = free_;
        free_ = chunk->next;
        chunk->next = next;
        chunk->count = 0;
        return chunk;
    }
    void give(Chunk* chunk) noexcept {
        chunk->next = free_;
        free_ = chunk;
    }

private:
    static constexpr std::size_t batch = large_page / sizeof(Chunk);
    void refill() {
        blocks_.emplace_back(batch);
        for (Chunk& chunk : blocks_.back()) give(&chunk);
    }

    Chunk* free_ = nullptr;
    std::vector<LargeVector<Chunk>> blocks_;
};

/// The events from one partition to another. One thread appends. The receiving one takes whole
/// windows, at a time when no other thread touches that window.
class EventQueue {
public:
    static constexpr std::int64_t never = INT64_MAX;
    static constexpr std::int64_t ring_size = 1024;

    [[gnu::always_inline]] void push(const Event& event, std::int64_t window, std::int64_t current,
                                     ChunkPool& pool) {
        if (window - current < ring_size) {
            push_near(event, window, pool);
        } else {
            far_[window].push_back(event);
        }
    }

    /// Returns the earliest window after `current` that holds events, `never` if there is none.
    /// Moves far events that have come near into the ring.
    [[nodiscard]] std::int64_t next_window(std::int64_t current, ChunkPool& pool) {
        advance(current, pool);
        const std::int64_t near = next_near(current);
        return near != never ? near : far_.empty() ? never : far_.begin()->first;
    }
    /// Moves events of windows up to `ring_size` after `current` into the ring.
    void advance(std::int64_t current, ChunkPool& pool) {
        while (!far_.empty() && far_.begin()->first - current < ring_size) {
            const auto node = far_.extract(far_.begin());
            for (const Event& event : node.mapped()) push_near(event, node.key(), pool);
        }
    }

    /// Returns the chunks of a window in the ring, or null. The caller gives them back to its own
    /// pool.
    [[nodiscard]] Chunk* take(std::int64_t window) noexcept {
        return close(std::exchange(slots_[slot_of(window)], {}));
    }
    /// Asks for the memory that `take` will touch.
    void prefetch(std::int64_t window) const noexcept {
        fetch_ahead(slots_[slot_of(window)].chunk);
    }
    /// Forgets the chunks of a window that the receiving thread has taken. The appending thread
    /// calls it.
    void forget(std::int64_t window) noexcept {
        const std::size_t slot = slot_of(window);
        filled_[slot / 64] &= ~(std::uint64_t{1} << (slot % 64));
    }
    /// Moves all events to the end of `out`, in no particular order.
    void drain(std::vector<Event>& out, ChunkPool& pool) {
        for (std::size_t word = 0; word < filled_.size(); ++word) {
            for (; filled_[word] != 0; filled_[word] &= filled_[word] - 1) {
                const auto bit = std::size_t(std::countr_zero(filled_[word]));
                Chunk* chunk = close(std::exchange(slots_[word * 64 + bit], {}));
                while (chunk != nullptr) {
                    out.insert(out.end(), chunk->events.begin(),
                               chunk->events.begin() + chunk->count);
                    pool.give(std::exchange(chunk, chunk->next));
                }
            }
        }
        for (const auto& [window, events] : far_)
            out.insert(out.end(), events.begin(), events.end());
        far_.clear();
    }

private:
    /// The chunk of a window that is being filled, and its events so far. They are counted here, so
    /// that an event touches no other line of the chunk than its own.
    struct OpenChunk {
        Chunk* chunk = nullptr;
        std::uint32_t count = 0;
    };

    [[gnu::always_inline]] void push_near(const Event& event, std::int64_t window,
                                          ChunkPool& pool) {
        const std::size_t number = slot_of(window);
        OpenChunk& slot = slots_[number];
        if (slot.chunk == nullptr || slot.count == Chunk::capacity) begin_chunk(number, pool);
        Event* const place = &slot.chunk->events[slot.count++];
        // Chunks of many windows are filled in turn, which no processor foresees by itself.
        __builtin_prefetch(place + 4, 1);
        *place = event;
    }

    [[gnu::noinline]] void begin_chunk(std::size_t slot, ChunkPool& pool) {
        filled_[slot / 64] |= std::uint64_t{1} << (slot % 64);
        slots_[slot] = {pool.take(close(slots_[slot])), 0};
    }
    /// Returns the chunks of a window, null if there are none, with their counts.
    [[nodiscard]] static Chunk* close(const OpenChunk& slot) noexcept {
        if (slot.chunk != nullptr) slot.chunk->count = slot.count;
        return slot.chunk;
    }
    [[nodiscard]] static std::size_t slot_of(std::int64_t window) noexcept {
        return std::size_t(window & (ring_size - 1));
    }

    [[nodiscard]] std::int64_t next_near(std::int64_t current) const noexcept {
        const auto first = std::uint64_t((current + 1) & (ring_size - 1));
        for (std::uint64_t step = 0; step <= ring_size / 64; ++step) {
            const std::uint64_t word = (first / 64 + step) % (ring_size / 64);
            std::uint64_t bits = filled_[word];
            if (step == 0) bits &= ~std::uint64_t{0} << (first % 64);
            if (bits == 0) continue;
            const auto slot = std::int64_t(word * 64 + std::uint64_t(std::countr_zero(bits)));
            return current + 1 + ((slot - std::int64_t(first)) & (ring_size - 1));
        }
        return never;
    }

    std::array<OpenChunk, ring_size> slots_{};
    std::array<std::uint64_t, ring_size / 64> filled_{};
    std::map<std::int64_t, std::vector<Event>> far_;
};

}  // namespace tradewind::sim

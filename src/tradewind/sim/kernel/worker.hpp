/// Worker: one thread of the engine with the locations it owns and the events it sends.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tradewind/sim/kernel/event.hpp"
#include "tradewind/sim/kernel/event_queue.hpp"

namespace tradewind::sim {

/// What all workers of an engine agree on.
struct Schedule {
    /// Width of a window: no event reaches another location sooner than this.
    Picoseconds width = 1;
    /// Worker i owns locations [bounds[i], bounds[i + 1]).
    std::vector<Location> bounds;
    [[nodiscard]] int workers() const noexcept { return int(bounds.size()) - 1; }
};

class Worker {
public:
    /// Times within a window are sorted as 32-bit numbers.
    static constexpr Picoseconds widest_window = Picoseconds{1} << 32;

    Worker(const Schedule& schedule, int index)
        : schedule_(schedule),
          index_(index),
          first_(schedule.bounds[std::size_t(index)]),
          queues_(std::make_unique<EventQueue[]>(std::size_t(schedule.workers()))) {
        const std::size_t locations = schedule.bounds[std::size_t(index) + 1] - first_;
        counts_.resize(locations);
        active_.resize((locations + 63) / 64);
        active_words_.resize((active_.size() + 63) / 64);
    }

    [[nodiscard]] int index() const noexcept { return index_; }
    [[nodiscard]] Location first_location() const noexcept { return first_; }
    [[nodiscard]] Location end_location() const noexcept {
        return first_ + Location(counts_.size());
    }
    /// Time of the event that is being handled.
    [[nodiscard]] Picoseconds now() const noexcept { return now_; }
    [[nodiscard]] Picoseconds window_end() const noexcept { return window_end_; }
    [[nodiscard]] std::int64_t events_handled() const noexcept { return handled_; }

    /// Sends an event. Within the window it may only go to the location that is being handled.
    void schedule(const Event& event) {
        if (event.time < window_end_) {
            if (event.location != here_)
                throw std::logic_error("event sent to another location too early");
            near_.push_back(event);
            std::push_heap(near_.begin(), near_.end(), later);
            return;
        }
        const Picoseconds ahead = event.time - window_end_;
        const std::int64_t window =
            window_ + 1 + (ahead < schedule_.width ? 0 : ahead / schedule_.width);
        queues_[owner(event.location)].push(event, window, window_, pool_);
    }

    [[nodiscard]] std::int64_t next_window() {
        std::int64_t next = EventQueue::never;
        for (int i = 0; i < schedule_.workers(); ++i) {
            next = std::min(next, queues_[std::size_t(i)].next_window(window_, pool_));
        }
        return next;
    }
    /// After a jump over more empty windows than the ring holds.
    void advance(std::int64_t window) {
        for (int i = 0; i < schedule_.workers(); ++i)
            queues_[std::size_t(i)].advance(window - 1, pool_);
    }
    void begin_window(std::int64_t window) noexcept {
        window_ = window;
        window_end_ = (window + 1) * schedule_.width;
        for (int i = 0; i < schedule_.workers(); ++i) queues_[std::size_t(i)].forget(window);
    }

    /// Handles all events of this window at this worker's locations, wherever they come from.
    template <class Model>
    void run_window(std::span<const std::unique_ptr<Worker>> all, Model& model) {
        incoming_.clear();
        std::size_t events = 0;
        for (const auto& other : all) {
            Chunk* chunk = other->queues_[std::size_t(index_)].take(window_);
            for (; chunk != nullptr; chunk = chunk->next) {
                incoming_.push_back(chunk);
                events += chunk->count;
            }
        }
        if (events == 0) return;
        count_by_location();
        scatter(events);
        run_locations(model);
        handled_ += std::int64_t(events);
    }

private:
    /// The events of one location within sorted_.
    struct Span {
        Location location;
        std::uint32_t begin;
        std::uint32_t end;
    };
    struct Key {
        std::uint64_t key;
        std::uint32_t index;
    };

    [[nodiscard]] std::size_t owner(Location location) const noexcept {
        std::size_t i = 0;
        const auto last = std::size_t(schedule_.workers() - 1);
        while (i < last && location >= schedule_.bounds[i + 1]) ++i;
        return i;
    }
    static bool later(const Event& a, const Event& b) noexcept { return precedes(b, a); }

    void count_by_location() noexcept {
        for (const Chunk* const chunk : incoming_) {
            for (std::uint32_t i = 0; i < chunk->count; ++i) {
                const std::uint32_t at = chunk->events[i].location - first_;
                if (counts_[at]++ == 0) activate(at);
            }
        }
    }

    /// Turns counts into end positions while it copies: afterwards counts_[at] is where the events
    /// of `at` end.
    void scatter(std::size_t events) {
        if (sorted_.size() < events) sorted_.resize(events + events / 4);
        std::uint32_t begin = 0;
        for_active([&](std::uint32_t at) {
            const std::uint32_t count = counts_[at];
            counts_[at] = begin;
            begin += count;
        });
        for (Chunk* const chunk : incoming_) {
            for (std::uint32_t i = 0; i < chunk->count; ++i) {
                sorted_[counts_[chunk->events[i].location - first_]++] = chunk->events[i];
            }
            pool_.give(chunk);
        }
    }

    void activate(std::uint32_t at) noexcept {
        active_[at / 64] |= std::uint64_t{1} << (at % 64);
        active_words_[at / 4096] |= std::uint64_t{1} << (at / 64 % 64);
    }
    template <class Function>
    static void for_bits(std::uint64_t bits, std::size_t base, const Function& function) {
        for (; bits != 0; bits &= bits - 1) function(base + std::size_t(std::countr_zero(bits)));
    }
    /// Locations that have events, in memory order; a bit map of words saves scanning the idle
    /// ones.
    template <class Function>
    void for_active(const Function& function) {
        for (std::size_t group = 0; group < active_words_.size(); ++group) {
            for_bits(active_words_[group], group * 64, [&](std::size_t word) {
                for_bits(active_[word], word * 64,
                         [&](std::size_t at) { function(std::uint32_t(at)); });
            });
        }
    }
    void clear_active() noexcept {
        for (std::size_t group = 0; group < active_words_.size(); ++group) {
            for_bits(std::exchange(active_words_[group], 0), group * 64,
                     [&](std::size_t word) { active_[word] = 0; });
        }
    }

    /// Handles location after location; before each one, asks for the memory of the next three, in
    /// three rounds.
    template <class Model>
    void run_locations(Model& model) {
        constexpr std::size_t stages = 3;
        spans_.clear();
        std::uint32_t begin = 0;
        for_active([&](std::uint32_t at) {
            const std::uint32_t end = std::exchange(counts_[at], 0);
            spans_.push_back({first_ + at, begin, end});
            begin = end;
        });
        clear_active();
        for (std::size_t step = 0; step < spans_.size() + stages; ++step) {
            for (std::size_t stage = 0; stage < stages; ++stage) {
                if (step < stage || step - stage >= spans_.size()) continue;
                const Span& ahead = spans_[step - stage];
                for (std::uint32_t i = ahead.begin; i < ahead.end; ++i)
                    model.prefetch(sorted_[i], int(stage));
            }
            if (step < stages) continue;
            const Span& span = spans_[step - stages];
            here_ = span.location;
            run_location(&sorted_[span.begin], span.end - span.begin, model);
        }
    }

    template <class Model>
    void run_location(const Event* events, std::uint32_t count, Model& model) {
        sort_keys(events, count);
        std::uint32_t i = 0;
        while (true) {
            if (near_.empty()) {
                if (i == count) return;
                handle(events[keys_[i++].index], model);
            } else if (i == count || precedes(near_.front(), events[keys_[i].index])) {
                std::pop_heap(near_.begin(), near_.end(), later);
                const Event event = near_.back();
                near_.pop_back();
                ++handled_;
                handle(event, model);
            } else {
                handle(events[keys_[i++].index], model);
            }
        }
    }

    template <class Model>
    void handle(const Event& event, Model& model) {
        now_ = event.time;
        model.handle(*this, event);
    }

    void sort_keys(const Event* events, std::uint32_t count) {
        if (keys_.size() < count) keys_.resize(2 * std::size_t{count});
        const Picoseconds start = window_end_ - schedule_.width;
        const auto before = [events](const Key& a, const Key& b) {
            return a.key != b.key ? a.key < b.key : precedes(events[a.index], events[b.index]);
        };
        if (count > insertion_limit) {
            for (std::uint32_t i = 0; i < count; ++i) keys_[i] = key_of(events[i], start, i);
            std::sort(keys_.begin(), keys_.begin() + count, before);
            return;
        }
        for (std::uint32_t i = 0; i < count; ++i) {
            const Key key = key_of(events[i], start, i);
            std::uint32_t to = i;
            for (; to > 0 && before(key, keys_[to - 1]); --to) keys_[to] = keys_[to - 1];
            keys_[to] = key;
        }
    }
    [[nodiscard]] static Key key_of(const Event& event, Picoseconds start,
                                    std::uint32_t index) noexcept {
        return {std::uint64_t(event.time - start) << 32 | order_of(event), index};
    }

    static constexpr std::uint32_t insertion_limit = 40;

    const Schedule& schedule_;
    int index_;
    Location first_;
    std::unique_ptr<EventQueue[]> queues_;
    ChunkPool pool_;
    std::int64_t window_ = -1;
    Picoseconds window_end_ = 0;
    Picoseconds now_ = 0;
    Location here_ = 0;
    std::int64_t handled_ = 0;
    std::vector<Event> near_;
    std::vector<Key> keys_;
    std::vector<Chunk*> incoming_;
    LargeVector<Event> sorted_;
    std::vector<Span> spans_;
    std::vector<std::uint32_t> counts_;
    std::vector<std::uint64_t> active_;
    std::vector<std::uint64_t> active_words_;
};

}  // namespace tradewind::sim

/// Worker: one thread of the engine with the locations it owns and the events it sends.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tradewind/sim/kernel/event.hpp"
#include "tradewind/sim/kernel/event_queue.hpp"
#include "tradewind/sim/kernel/schedule.hpp"

namespace tradewind::sim {

/// What one worker sends to another process in one window.
struct Parcel {
    std::vector<Event> events;
    /// The model's own: what it writes here, the model of that process gets before the events.
    ByteArray cargo;
};

class Worker {
public:
    /// `index` counts the workers of this process.
    Worker(const Schedule& schedule, int index)
        : schedule_(schedule),
          index_(index),
          number_(std::size_t(schedule.first_worker() + index)),
          first_(schedule.begin_location()),
          reciprocal_(schedule.width > 1 ? UINT64_MAX / std::uint64_t(schedule.width) + 1 : 1),
          bucket_shift_(bucket_shift(schedule.width)),
          parts_(schedule.parts()),
          queues_(std::make_unique<EventQueue[]>(queues())),
          parcels_(std::size_t(schedule.processes())) {
        const std::size_t locations = schedule.end_location() - first_;
        counts_.resize(locations);
        active_.resize((locations + 63) / 64);
        active_words_.resize((active_.size() + 63) / 64);
    }

    [[nodiscard]] int index() const noexcept { return index_; }
    [[nodiscard]] bool owns(Location location) const noexcept {
        return schedule_.is_here(location) && owner(location) == number_;
    }
    /// Time of the event that is being handled.
    [[nodiscard]] Picoseconds now() const noexcept { return now_; }
    [[nodiscard]] Picoseconds window_end() const noexcept { return window_end_; }
    [[nodiscard]] std::int64_t events_handled() const noexcept { return handled_; }

    /// Sends an event. Within the window it may only go to the location that is being handled.
    [[gnu::always_inline]] void schedule(const Event& event) {
        const Picoseconds ahead = event.time - window_end_;
        if (ahead < 0) {
            schedule_near(event);
        } else {
            const std::int64_t window =
                window_ + 1 + (ahead < schedule_.width ? 0 : windows_in(ahead));
            queues_[schedule_.queue_of(event.location, parts_)].push(event, window, window_, pool_);
        }
    }

    [[nodiscard]] std::int64_t next_window() {
        std::int64_t next = EventQueue::never;
        for (std::size_t i = 0; i < queues(); ++i)
            next = std::min(next, queues_[i].next_window(window_, pool_));
        return next;
    }
    /// After a jump over more empty windows than the ring holds.
    void advance(std::int64_t window) {
        for (std::size_t i = 0; i < queues(); ++i) queues_[i].advance(window - 1, pool_);
    }
    void begin_window(std::int64_t window) noexcept {
        window_ = window;
        window_end_ = (window + 1) * schedule_.width;
        for (std::size_t i = 0; i < queues(); ++i) queues_[i].forget(window);
    }

    /// What goes to another process when this window ends.
    [[nodiscard]] Parcel& parcel(int process) noexcept { return parcels_[std::size_t(process)]; }
    /// Puts all events for other processes into their parcels.
    void fill_parcels() {
        const std::size_t of_process = std::size_t(schedule_.workers()) * parts_;
        for (std::size_t i = 0; i < queues(); ++i) {
            const auto process = int(i / of_process);
            if (process != schedule_.process()) queues_[i].drain(parcel(process).events, pool_);
        }
    }

    /// Handles all events of this window at this worker's locations, wherever they come from.
    template <class Model>
    void run_window(std::span<const std::unique_ptr<Worker>> all, Model& model) {
        for (std::size_t part = 0; part < parts_; ++part) run_part(all, part, model);
    }

private:
    __extension__ using Wide = unsigned __int128;
    /// Place of an event in its location's order: time within the window, kind, port, channel; in
    /// the lowest bits where the event is.
    using Key = std::uint64_t;

    [[nodiscard]] std::size_t queues() const noexcept {
        return std::size_t(schedule_.all_workers()) * parts_;
    }

    [[nodiscard]] static unsigned bucket_shift(Picoseconds width) noexcept {
        const auto bits = unsigned(std::bit_width(std::uint64_t(width - 1)));
        const auto of_bucket = unsigned(std::bit_width(buckets - 1));
        return order_bits + index_bits + (bits > of_bucket ? bits - of_bucket : 0);
    }

    template <class Model>
    void run_part(std::span<const std::unique_ptr<Worker>> all, std::size_t part, Model& model) {
        incoming_.clear();
        std::size_t events = 0;
        for (const auto& other : all) {
            Chunk* chunk = other->queues_[number_ * parts_ + part].take(window_);
            for (; chunk != nullptr; chunk = chunk->next) {
                incoming_.push_back(chunk);
                events += chunk->count;
            }
        }
        if (events == 0) return;
        count_by_location();
        scatter(events);
        run_locations(events, model);
        handled_ += std::int64_t(events);
    }

    [[nodiscard]] std::size_t owner(Location location) const noexcept {
        return std::size_t(schedule_.owner(location));
    }
    /// ahead / width, without a division. The reciprocal is exact for all numbers below 2^64 /
    /// width.
    [[nodiscard]] std::int64_t windows_in(Picoseconds ahead) const noexcept {
        if (std::uint64_t(ahead) >= reciprocal_ - 1) return ahead / schedule_.width;
        return std::int64_t((Wide{reciprocal_} * std::uint64_t(ahead)) >> 64U);
    }
    [[gnu::noinline]] void schedule_near(Event event) {
        if (event.location != here_)
            throw std::logic_error("event sent to another location too early");
        near_.push_back(event);
        std::push_heap(near_.begin(), near_.end(), later);
    }
    static bool later(const Event& a, const Event& b) noexcept { return precedes(b, a); }

    void count_by_location() noexcept {
        std::uint32_t* const counts = counts_.data() - first_;
        for (const Chunk* const chunk : incoming_) {
            const std::uint32_t count = chunk->count;
            for (std::uint32_t i = 0; i < count; ++i) {
                const Location at = chunk->events[i].location;
                if (counts[at]++ == 0) activate(at - first_);
            }
        }
    }

    /// Copies the events into sorted_, location after location.
    void scatter(std::size_t events) {
        if (sorted_.size() < events) {
            sorted_.resize(events + events / 4);
            foreseen_.resize(sorted_.size());
        }
        std::uint32_t begin = 0;
        for_active([&](std::uint32_t at) { begin += std::exchange(counts_[at], begin); });
        std::uint32_t* const ends = counts_.data() - first_;
        Event* const sorted = sorted_.data();
        for (Chunk* const chunk : incoming_) {
            const std::uint32_t count = chunk->count;
            for (std::uint32_t i = 0; i < count; ++i) {
                const Event& event = chunk->events[i];
                sorted[ends[event.location]++] = event;
            }
            pool_.give(chunk);
        }
        clear_active();
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

    /// Handles location after location. Each event asks for the memory that its handling will touch
    /// in three rounds, some blocks of events before its turn.
    template <class Model>
    void run_locations(std::size_t events, Model& model) {
        const Event* const sorted = sorted_.data();
        std::size_t asked = 0;
        for (std::size_t begin = 0, end = 0; begin < events; begin = end) {
            here_ = sorted[begin].location;
            for (++end; end < events && sorted[end].location == here_;) ++end;
            for (; asked < end + 3 * block; asked += block) ask(asked, events, model);
            counts_[here_ - first_] = 0;
            run_location(begin, end - begin, model);
        }
    }

    /// First round for a block of events, second and third for those one and two blocks before.
    template <class Model>
    void ask(std::size_t first, std::size_t events, Model& model) {
        const Event* const sorted = sorted_.data();
        std::uint32_t* const foreseen = foreseen_.data();
        const std::size_t last = std::min(first + block, events);
        for (std::size_t i = first; i < last; ++i) foreseen[i] = model.foresee(sorted[i]);
        if (first < block) return;
        const std::size_t second = std::min(first, events);
        for (std::size_t i = first - block; i < second; ++i)
            model.prefetch(*this, sorted[i], foreseen[i], 1);
        if (first < 2 * block) return;
        const std::size_t third = std::min(first - block, events);
        for (std::size_t i = first - 2 * block; i < third; ++i)
            model.prefetch(*this, sorted[i], foreseen[i], 2);
    }

    template <class Model>
    void run_location(std::size_t begin, std::size_t count, Model& model) {
        const Event* const events = sorted_.data() + begin;
        const std::uint32_t* const foreseen = foreseen_.data() + begin;
        if (count == 1) {
            handle(*events, *foreseen, model);
        } else {
            const Key index_of = sort_keys(events, count);
            const Key* const keys = keys_.data();
            for (std::size_t i = 0; i < count; ++i) {
                const std::size_t at = keys[i] & index_of;
                while (!near_.empty() && precedes(near_.front(), events[at])) handle_near(model);
                handle(events[at], foreseen[at], model);
            }
        }
        while (!near_.empty()) handle_near(model);
    }

    template <class Model>
    void handle(const Event& event, std::uint32_t foreseen, Model& model) {
        now_ = event.time;
        model.handle(*this, event, foreseen);
    }
    template <class Model>
    [[gnu::noinline]] void handle_near(Model& model) {
        std::pop_heap(near_.begin(), near_.end(), later);
        const Event event = near_.back();
        near_.pop_back();
        ++handled_;
        handle(event, 0, model);
    }

    /// Sorts the events of one location; returns which bits of a key say where its event is.
    [[nodiscard]] Key sort_keys(const Event* events, std::size_t count) {
        if (keys_.size() < count) keys_.resize(2 * count);
        Key* const keys = keys_.data();
        if (count > index_mask || schedule_.width > packed_window) return sort_wide(events, count);
        if (count <= insertion_limit) {
            for (std::size_t i = 0; i < count; ++i) insert(keys, i, key_of(events, i));
        } else if (count <= bucket_limit) {
            sort_by_buckets(events, count);
        } else {
            for (std::size_t i = 0; i < count; ++i) keys[i] = key_of(events, i);
            std::sort(keys, keys + count);
        }
        for (std::size_t i = 1; i < count; ++i) {
            if ((keys[i] ^ keys[i - 1]) <= index_mask) i = sort_ties(events, i - 1, count);
        }
        return index_mask;
    }
    [[nodiscard]] Key key_of(const Event* events, std::size_t i) const noexcept {
        const Picoseconds start = window_end_ - schedule_.width;
        const Event& event = events[i];
        return (Key(event.time - start) << order_bits | order_of(event)) << index_bits | i;
    }
    /// Puts a key where it belongs among the first `count`, which are in order.
    static void insert(Key* keys, std::size_t count, Key key) noexcept {
        for (; count > 0 && keys[count - 1] > key; --count) keys[count] = keys[count - 1];
        keys[count] = key;
    }
    /// Deals keys to equal parts of the window, which leaves little to do for insertion.
    void sort_by_buckets(const Event* events, std::size_t count) noexcept {
        std::array<Key, bucket_limit> unsorted;
        std::array<std::uint16_t, buckets> ends{};
        for (std::size_t i = 0; i < count; ++i) {
            unsorted[i] = key_of(events, i);
            ++ends[unsorted[i] >> bucket_shift_];
        }
        std::uint16_t begin = 0;
        for (std::uint16_t& end : ends) begin += std::exchange(end, begin);
        for (std::size_t i = 0; i < count; ++i)
            keys_[ends[unsorted[i] >> bucket_shift_]++] = unsorted[i];
        for (std::size_t i = 1; i < count; ++i) insert(keys_.data(), i, keys_[i]);
    }
    /// Orders the events that have the same key as the one at `first` by what keys do not hold;
    /// returns where the next key begins.
    [[gnu::noinline]] std::size_t sort_ties(const Event* events, std::size_t first,
                                            std::size_t count) {
        std::size_t last = first + 1;
        while (last < count && (keys_[last] ^ keys_[first]) <= index_mask) ++last;
        std::sort(
            keys_.begin() + std::ptrdiff_t(first), keys_.begin() + std::ptrdiff_t(last),
            [&](Key a, Key b) { return precedes(events[a & index_mask], events[b & index_mask]); });
        return last;
    }
    /// For windows so wide, or locations so full, that time and index do not fit into one key.
    [[gnu::noinline]] Key sort_wide(const Event* events, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) keys_[i] = i;
        std::sort(keys_.begin(), keys_.begin() + std::ptrdiff_t(count),
                  [&](Key a, Key b) { return precedes(events[a], events[b]); });
        return ~Key{0};
    }
    /// Up to so many events of a location are sorted by insertion, and up to so many by buckets
    /// first.
    static constexpr std::size_t insertion_limit = 16;
    static constexpr std::size_t bucket_limit = 512;
    static constexpr std::size_t buckets = 64;
    /// Distance, in events, between two rounds of asking for memory.
    static constexpr std::size_t block = 8;
    static constexpr unsigned index_bits = 16;
    static constexpr Key index_mask = (Key{1} << index_bits) - 1;
    static constexpr Picoseconds packed_window = Picoseconds{1} << (64 - order_bits - index_bits);

    const Schedule& schedule_;
    int index_;
    /// Its number among those of all processes.
    std::size_t number_;
    /// Of the process.
    Location first_;
    std::uint64_t reciprocal_;
    /// Of a key, to get one of 64 equal parts of the window.
    unsigned bucket_shift_;
    std::size_t parts_;
    std::unique_ptr<EventQueue[]> queues_;
    std::vector<Parcel> parcels_;
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
    /// What the model foresaw of each event of sorted_.
    std::vector<std::uint32_t> foreseen_;
    std::vector<std::uint32_t> counts_;
    std::vector<std::uint64_t> active_;
    std::vector<std::uint64_t> active_words_;
};

}  // namespace tradewind::sim

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

#include "tradewind/base/interrupts.hpp"
#include "tradewind/sim/kernel/event.hpp"
#include "tradewind/sim/kernel/event_queue.hpp"
#include "tradewind/sim/kernel/location_order.hpp"
#include "tradewind/sim/kernel/schedule.hpp"

namespace tradewind::sim {

/// The data that one worker sends to another process in one window.
struct Parcel {
    std::vector<Event> events;
    /// The model's own data, which the model of that process gets before the events.
    ByteArray payload;
};

class Worker {
public:
    /// Makes a worker, whose `index` counts those of this process.
    Worker(const Schedule& schedule, int index)
        : schedule_(schedule),
          index_(index),
          number_(std::size_t(schedule.first_worker() + index)),
          first_(schedule.begin_location()),
          reciprocal_(schedule.width > 1 ? UINT64_MAX / std::uint64_t(schedule.width) + 1 : 1),
          parts_(schedule.parts()),
          queues_(std::make_unique<EventQueue[]>(queues())),
          parcels_(std::size_t(schedule.processes())),
          order_(schedule.width) {
        const std::size_t locations = schedule.end_location() - first_;
        counts_.resize(locations);
        active_.resize((locations + 63) / 64);
        active_words_.resize((active_.size() + 63) / 64);
    }

    [[nodiscard]] int index() const noexcept { return index_; }
    [[nodiscard]] bool owns(Location location) const noexcept {
        return schedule_.is_here(location) && owner(location) == number_;
    }
    /// Returns the time of the event that is being handled.
    [[nodiscard]] Picoseconds now() const noexcept { return now_; }
    [[nodiscard]] Picoseconds window_end() const noexcept { return window_end_; }
    [[nodiscard]] std::int64_t events_handled() const noexcept { return handled_; }

    /// Sends an event. Within the window it may only go to the location that is being handled.
    [[gnu::always_inline]] void schedule(const Event& event) {
        // The fields are stored here, before the queue is looked up. Else the compiler stores them
        // just before it copies the event as a whole, and the copy waits for the stores.
        __asm__ volatile("" : : "m"(event));
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
    /// Moves the queues on after a jump over more empty windows than the ring holds.
    void advance(std::int64_t window) {
        for (std::size_t i = 0; i < queues(); ++i) queues_[i].advance(window - 1, pool_);
    }
    void begin_window(std::int64_t window) noexcept {
        window_ = window;
        window_end_ = (window + 1) * schedule_.width;
        for (std::size_t i = 0; i < queues(); ++i) queues_[i].forget(window);
    }

    /// Returns the parcel that goes to another process when this window ends.
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

    [[nodiscard]] std::size_t queues() const noexcept {
        return std::size_t(schedule_.all_workers()) * parts_;
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
        if (part + 1 < parts_) {
            for (const auto& other : all)
                other->queues_[number_ * parts_ + part + 1].prefetch(window_);
        }
        check_interrupts(std::int64_t(events) * 16);
        if (events <= few) {
            insert_by_location();
        } else {
            count_by_location();
            scatter(events);
        }
        run_locations(events, model);
        handled_ += std::int64_t(events);
    }

    [[nodiscard]] std::size_t owner(Location location) const noexcept {
        return std::size_t(schedule_.owner(location));
    }
    /// Returns ahead / width, without a division. The reciprocal is exact for all numbers below
    /// 2^64 / width.
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

    void make_room(std::size_t events) {
        if (sorted_.size() >= events) return;
        sorted_.resize(events + events / 4);
        foreseen_.resize(sorted_.size());
    }

    /// Copies a few events into sorted_, location after location.
    void insert_by_location() {
        make_room(few);
        Event* const sorted = sorted_.data();
        std::size_t end = 0;
        for (Chunk* const chunk : incoming_) {
            const std::uint32_t count = chunk->count;
            for (std::uint32_t i = 0; i < count; ++i) {
                const Event& event = chunk->events[i];
                std::size_t at = end++;
                for (; at > 0 && sorted[at - 1].location > event.location; --at)
                    sorted[at] = sorted[at - 1];
                sorted[at] = event;
            }
            pool_.give(chunk);
        }
    }

    /// Copies the events into sorted_, location after location.
    void scatter(std::size_t events) {
        make_room(events);
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
    /// Lists the locations that have events, in memory order. A bit map of words saves scanning the
    /// idle ones.
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

    /// Asks for memory: in the first round for a block of events, in the second and third for those
    /// one and two blocks before.
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
            order_.sort({events, count}, window_end_ - schedule_.width);
            for (std::size_t i = 0; i < count; ++i) {
                const std::size_t at = order_[i];
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

    /// The distance, in events, between two rounds of asking for memory.
    static constexpr std::size_t block = 8;
    /// The largest number of events of a window that are sorted by insertion.
    static constexpr std::size_t few = 12;

    const Schedule& schedule_;
    int index_;
    /// The worker's number among those of all processes.
    std::size_t number_;
    /// The first location of the process.
    Location first_;
    std::uint64_t reciprocal_;
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
    LocationOrder order_;
    std::vector<Chunk*> incoming_;
    LargeVector<Event> sorted_;
    /// The model's foresight of each event of sorted_.
    std::vector<std::uint32_t> foreseen_;
    std::vector<std::uint32_t> counts_;
    std::vector<std::uint64_t> active_;
    std::vector<std::uint64_t> active_words_;
};

}  // namespace tradewind::sim

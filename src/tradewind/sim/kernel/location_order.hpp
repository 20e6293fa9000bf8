/// LocationOrder: the order in which the events of one location are handled.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tradewind/sim/kernel/event.hpp"

namespace tradewind::sim {

/// The order of one location's events, found by sorting keys instead of events. One object serves a
/// worker for all its locations in turn.
class LocationOrder {
public:
    /// Takes the width of a window.
    explicit LocationOrder(Picoseconds width) noexcept
        : fits_(width <= widest_window), bucket_shift_(bucket_shift(width)) {}

    /// Works out the order of events that lie in the window that begins at `start`.
    void sort(std::span<const Event> events, Picoseconds start) {
        const std::size_t count = events.size();
        if (keys_.size() < count) keys_.resize(2 * count);
        if (count > index_mask || !fits_) return sort_wide(events);
        index_of_ = index_mask;
        Key* const keys = keys_.data();
        if (count <= insertion_limit) {
            for (std::size_t i = 0; i < count; ++i) insert(keys, i, key_of(events[i], i, start));
        } else if (count <= bucket_limit) {
            sort_by_buckets(events, start);
        } else {
            for (std::size_t i = 0; i < count; ++i) keys[i] = key_of(events[i], i, start);
            std::sort(keys, keys + count);
        }
        for (std::size_t i = 1; i < count; ++i) {
            if ((keys[i] ^ keys[i - 1]) <= index_mask) i = sort_ties(events, i - 1);
        }
    }
    /// Returns the index, among the events given to `sort`, of the one at position `i`.
    [[nodiscard]] std::size_t operator[](std::size_t i) const noexcept {
        return keys_[i] & index_of_;
    }

private:
    /// Time within the window, kind, port and channel, and the index of the event in the lowest
    /// bits.
    using Key = std::uint64_t;
    static constexpr unsigned index_bits = 16;
    static constexpr Key index_mask = (Key{1} << index_bits) - 1;
    static constexpr Picoseconds widest_window = Picoseconds{1} << (64 - order_bits - index_bits);
    /// The largest numbers of events that are sorted by insertion alone, and by buckets first.
    static constexpr std::size_t insertion_limit = 16;
    static constexpr std::size_t bucket_limit = 512;
    static constexpr std::size_t buckets = 64;

    [[nodiscard]] static unsigned bucket_shift(Picoseconds width) noexcept {
        const auto bits = unsigned(std::bit_width(std::uint64_t(width - 1)));
        const auto of_bucket = unsigned(std::bit_width(buckets - 1));
        return order_bits + index_bits + (bits > of_bucket ? bits - of_bucket : 0);
    }
    [[nodiscard]] static Key key_of(const Event& event, std::size_t i, Picoseconds start) noexcept {
        return (Key(event.time - start) << order_bits | order_of(event)) << index_bits | i;
    }
    /// Inserts a key into the first `count`, which are in order.
    static void insert(Key* keys, std::size_t count, Key key) noexcept {
        for (; count > 0 && keys[count - 1] > key; --count) keys[count] = keys[count - 1];
        keys[count] = key;
    }
    /// Distributes keys over equal parts of the window, which leaves little to do for insertion.
    void sort_by_buckets(std::span<const Event> events, Picoseconds start) noexcept {
        const std::size_t count = events.size();
        std::array<Key, bucket_limit> unsorted;
        std::array<std::uint16_t, buckets> ends{};
        for (std::size_t i = 0; i < count; ++i) {
            unsorted[i] = key_of(events[i], i, start);
            ++ends[unsorted[i] >> bucket_shift_];
        }
        std::uint16_t begin = 0;
        for (std::uint16_t& end : ends) begin += std::exchange(end, begin);
        for (std::size_t i = 0; i < count; ++i)
            keys_[ends[unsorted[i] >> bucket_shift_]++] = unsorted[i];
        for (std::size_t i = 1; i < count; ++i) insert(keys_.data(), i, keys_[i]);
    }
    /// Orders the events that have the same key as the one at `first` by the fields that keys do
    /// not hold. Returns the position of the next key.
    [[gnu::noinline]] std::size_t sort_ties(std::span<const Event> events, std::size_t first) {
        std::size_t last = first + 1;
        while (last < events.size() && (keys_[last] ^ keys_[first]) <= index_mask) ++last;
        std::sort(
            keys_.begin() + std::ptrdiff_t(first), keys_.begin() + std::ptrdiff_t(last),
            [&](Key a, Key b) { return precedes(events[a & index_mask], events[b & index_mask]); });
        return last;
    }
    /// Sorts the events of windows so wide, or locations so full, that time and index do not fit
    /// into one key.
    [[gnu::noinline]] void sort_wide(std::span<const Event> events) {
        index_of_ = ~Key{0};
        for (std::size_t i = 0; i < events.size(); ++i) keys_[i] = i;
        std::sort(keys_.begin(), keys_.begin() + std::ptrdiff_t(events.size()),
                  [&](Key a, Key b) { return precedes(events[a], events[b]); });
    }

    bool fits_;
    unsigned bucket_shift_;
    /// The bits of a key that hold the index of its event.
    Key index_of_ = index_mask;
    std::vector<Key> keys_;
};

}  // namespace tradewind::sim

/// Nic: the injection side of a network interface, a queue of messages that are sent packet by
/// packet; zero bytes before use.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "tradewind/base/units.hpp"
#include "tradewind/sim/network/message.hpp"

namespace tradewind::sim {

/// The state of one interface, in one cache line. Its times are those at which packet heads reach
/// the switch: injection latency included.
struct alignas(64) Nic {
    /// The time at which the next packet's head can come in.
    Picoseconds free_at = 0;
    /// The buffer space that will become free at a known time; kept here to save an event for each
    /// packet.
    std::array<Picoseconds, 3> release_time{};
    std::array<std::int32_t, 3> release_bytes{};
    /// The bytes on the way to, or in, the switch's buffer.
    std::int32_t used = 0;
    MessageId head = no_message;
    MessageId tail = no_message;
    std::uint32_t packets = 0;
    std::uint8_t releases = 0;
    /// An inject event is under way.
    bool busy = false;
    /// The interface waits for credit.
    bool blocked = false;

    [[nodiscard]] bool can_release() const noexcept {
        return releases < release_time.size() && !blocked;
    }
    void release(Picoseconds time, std::uint32_t bytes) noexcept {
        release_time[releases] = time;
        release_bytes[releases++] = std::int32_t(bytes);
    }
    /// Takes back the space that has become free by `now`.
    void absorb(Picoseconds now) noexcept {
        std::uint8_t kept = 0;
        for (std::uint8_t i = 0; i < releases; ++i) {
            if (release_time[i] <= now) {
                used -= release_bytes[i];
            } else {
                release_time[kept] = release_time[i];
                release_bytes[kept++] = release_bytes[i];
            }
        }
        releases = kept;
    }
    [[nodiscard]] Picoseconds earliest_release() const noexcept {
        Picoseconds earliest = release_time[0];
        for (std::uint8_t i = 1; i < releases; ++i) earliest = std::min(earliest, release_time[i]);
        return earliest;
    }
    /// Returns the time at which the next packet can go, if it must find less than `limit` bytes
    /// used. Returns a time before that if some of the space is held for an unknown time.
    [[nodiscard]] Picoseconds next_turn(Bytes limit) const noexcept {
        if (used_after(free_at) < limit || used_after(INT64_MAX) != 0) return free_at;
        Picoseconds turn = INT64_MAX;
        for (std::uint8_t i = 0; i < releases; ++i) {
            if (used_after(release_time[i]) < limit) turn = std::min(turn, release_time[i]);
        }
        return turn;
    }

private:
    [[nodiscard]] Bytes used_after(Picoseconds time) const noexcept {
        Bytes left = used;
        for (std::uint8_t i = 0; i < releases; ++i)
            left -= release_time[i] <= time ? release_bytes[i] : 0;
        return left;
    }
};
static_assert(sizeof(Nic) == 64);

}  // namespace tradewind::sim

/// Nic: the injection side of a network interface, a queue of messages sent packet by packet; zero
/// bytes before use.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "tradewind/base/units.hpp"
#include "tradewind/sim/network/message.hpp"

namespace tradewind::sim {

/// Times are those at which packet heads reach the switch: injection latency included.
struct alignas(64) Nic {
    /// When the next packet's head can come in.
    Picoseconds free_at = 0;
    /// When the message at the head of the queue began.
    Picoseconds message_start = 0;
    MessageId head = no_message;
    MessageId tail = no_message;
    std::uint32_t packets = 0;
    /// An inject event is under way, or credit is being waited for.
    bool busy = false;
    bool blocked = false;
    std::uint8_t releases = 0;
    Bytes bytes = 0;
    Picoseconds waited = 0;
    /// Bytes on the way to, or in, the switch's buffer.
    Bytes used = 0;

    /// Buffer space that will become free at a known time; kept here to save an event for each
    /// packet.
    struct Release {
        Picoseconds time = 0;
        Bytes bytes = 0;
    };
    std::array<Release, 3> release{};

    /// Takes back what has become free by `now`.
    void absorb(Picoseconds now) noexcept {
        std::uint8_t kept = 0;
        for (std::uint8_t i = 0; i < releases; ++i) {
            if (release[i].time <= now) {
                used -= release[i].bytes;
            } else {
                release[kept++] = release[i];
            }
        }
        releases = kept;
    }
    [[nodiscard]] Picoseconds earliest_release() const noexcept {
        Picoseconds earliest = release[0].time;
        for (std::uint8_t i = 1; i < releases; ++i) earliest = std::min(earliest, release[i].time);
        return earliest;
    }
};

}  // namespace tradewind::sim

/// Event: a happening at one location at one time; 40 bytes, moved by value.
#pragma once

#include <cstdint>

#include "tradewind/base/units.hpp"

namespace tradewind::sim {

/// A switch together with its nodes, their network interfaces and their ranks.
using Location = std::uint32_t;

/// A happening at one location. The engine reads time and location, and orders events of one
/// location by (time, kind, port, channel, target, bytes), none of which depends on threads. The
/// network gives the fields their meaning.
struct Event {
    Picoseconds time = 0;
    Location location = 0;
    std::uint32_t target = 0;
    std::uint32_t message = 0;
    std::uint32_t bytes = 0;
    std::uint32_t note = 0;
    std::uint16_t port = 0;
    std::uint8_t kind = 0;
    std::uint8_t channel = 0;
    /// The time at which the packet of the event came into the network.
    Picoseconds injected = 0;
};
static_assert(sizeof(Event) == 40);

/// The order of events at the same place and time, a number of `order_bits` bits. There may be up
/// to 8 kinds.
inline constexpr unsigned order_bits = 27;
[[nodiscard]] inline std::uint32_t order_of(const Event& event) noexcept {
    return std::uint32_t{event.kind} << 24 | std::uint32_t{event.port} << 8 | event.channel;
}

[[nodiscard]] inline bool precedes(const Event& a, const Event& b) noexcept {
    if (a.time != b.time) return a.time < b.time;
    if (order_of(a) != order_of(b)) return order_of(a) < order_of(b);
    if (a.target != b.target) return a.target < b.target;
    return a.bytes < b.bytes;
}

}  // namespace tradewind::sim

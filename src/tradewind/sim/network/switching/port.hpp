/// Port: the state of an output port of a switch, in one cache line; zero bytes before its first
/// use.
#pragma once

#include <cstdint>

#include "tradewind/base/units.hpp"
#include "tradewind/sim/network/load_counter.hpp"

namespace tradewind::sim {

inline constexpr int max_channels = 6;
inline constexpr std::uint32_t no_index = 0;
/// The number of trains that a port asks to be short when single packets share it.
inline constexpr std::uint8_t most_short_trains = 255;

struct alignas(64) Port {
    /// The time at which the last byte of the last packet that was accepted has left.
    Picoseconds next_free = 0;
    LoadCounter load;
    std::uint32_t peer = 0;
    std::uint16_t peer_port = 0;
    std::uint8_t link_class : 4 = 0;
    bool is_wired : 1 = false;
    /// An arbitration is scheduled.
    bool ready_pending : 1 = false;
    /// The last that was accepted, but for what passed it, is a train.
    bool carries_train : 1 = false;
    /// The number of trains to come for which the port asks for short ones.
    std::uint8_t short_trains = 0;
    /// The queue of packets without credit, in the worker's pool.
    std::uint32_t queue = no_index;
    std::uint32_t queued_bytes = 0;
    /// The bytes on the way to, or in, the buffer behind the link.
    std::int32_t used[max_channels] = {};
};
static_assert(sizeof(Port) == 64);

}  // namespace tradewind::sim

/// Small types of the interface of Comm.
#pragma once

#include <cstdint>
#include <memory>

#include "tradewind/comm/buffer.hpp"

namespace tradewind {

using Rank = std::int64_t;
using Tag = std::int32_t;

/// The mode of a send. A `synchronous` send completes only after its receive has been posted; a
/// `ready` send promises that the receive is posted already.
enum class SendMode : std::uint8_t { standard, synchronous, ready };

/// The communicator and the tag of a message, which together with its source decide the receive
/// that it matches.
struct Envelope {
    std::uint32_t context = 0;
    Tag tag = 0;
    friend bool operator==(const Envelope&, const Envelope&) = default;
};

/// The rank of a message that does not exist.
inline constexpr Rank nobody = -1;

/// A message out and a message in of one rank.
struct MessagePair {
    Rank to = 0;
    ConstBuffer out;
    Rank from = 0;
    Buffer in;
    /// True if the rank sends before it receives, under ordered protocols.
    bool first = true;
};

/// Computation whose time the simulator takes from the machine; real runs do the real computation
/// instead.
struct Work {
    double flops = 0.0;
    Bytes memory = 0;
};

/// The work of a rank in its own memory for its messages: copies, packing, sums.
struct LocalWork {
    Bytes copied = 0;
    /// The number of blocks that were copied separately.
    std::int64_t blocks = 0;
    /// The bytes of the operand that was combined with another one.
    Bytes summed = 0;
};

/// Memory that other ranks may write to, with counters of the puts that have arrived.
struct Window {
    std::int32_t id = -1;
};
/// A window and its memory, which lives as long as the communicator that allocated it. Libraries
/// may put into it faster than into other memory.
struct OwnWindow {
    Window window;
    Buffer memory;
};

class SimulatedCalls;
class SubComm;

/// The channels of puts that a communicator keeps for its next operation, see put_channel.hpp.
class PutChannels;
using KeptChannels = std::shared_ptr<PutChannels>;

}  // namespace tradewind

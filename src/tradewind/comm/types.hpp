/// Small types of the interface of Comm.
#pragma once

#include <cstdint>
#include <memory>

#include "tradewind/comm/buffer.hpp"

namespace tradewind {

using Rank = std::int64_t;
using Tag = std::int32_t;

/// What a send waits for. `synchronous` completes only after its receive has been posted; `ready`
/// promises that the receive is posted already.
enum class SendMode : std::uint8_t { standard, synchronous, ready };

/// What decides which receive takes a message, beside the source: communicator and tag.
struct Envelope {
    std::uint32_t context = 0;
    Tag tag = 0;
    friend bool operator==(const Envelope&, const Envelope&) = default;
};

/// A message out and a message in of one rank.
struct MessagePair {
    Rank to = 0;
    ConstBuffer out;
    Rank from = 0;
    Buffer in;
    /// Under ordered protocols: sends before it receives.
    bool first = true;
};

/// Computation whose time the simulator takes from the machine; real runs do the real thing
/// instead.
struct Work {
    double flops = 0.0;
    Bytes memory = 0;
};

/// What a rank does in its own memory for its messages: copies, packing, sums.
struct LocalWork {
    Bytes copied = 0;
    /// How many blocks were copied one by one.
    std::int64_t blocks = 0;
    /// Bytes of the operand that was combined with another one.
    Bytes summed = 0;
};

/// Memory that other ranks may write to, with counters of the puts that have arrived.
struct Window {
    std::int32_t id = -1;
};
/// A window and the memory behind it, which lives as long as the communicator that made it.
/// Libraries may put faster into it than into other memory.
struct OwnWindow {
    Window window;
    Buffer memory;
};

/// Channels of puts that a communicator keeps for its next operation, see put_channel.hpp.
class PutChannels;
using KeptChannels = std::shared_ptr<PutChannels>;

}  // namespace tradewind

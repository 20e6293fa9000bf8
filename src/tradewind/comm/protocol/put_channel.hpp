/// PutChannel: messages by one-sided puts among the ranks of a communicator, usable by any
/// algorithm.
///
///     sender                               receiver
///     put, signal       ------------->     its place for this sender
///                                          waits for the signal, copies the message out
///                       <-- signal ---     the place is free
///
/// Each rank has a few places for every other rank, used in turn, so that a sender waits only if it
/// is that many messages ahead. The place of a message follows from the ranks and its number, so
/// that no addresses are exchanged. Every message costs two puts, one with the message and an empty
/// one. Each of P ranks has a window of `places` x (P - 1) times the longest message and 2 (P - 1)
/// signals.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "tradewind/base/paged_array.hpp"
#include "tradewind/comm/comm.hpp"
#include "tradewind/comm/protocol/transport.hpp"

namespace tradewind {

/// A channel without tags: messages between the same two ranks arrive in the order in which they
/// were sent, and must be taken in that order. One channel serves any number of operations, one
/// after the other.
class PutChannel {
public:
    /// The number of messages of one sender that can wait at a receiver.
    static constexpr std::int64_t places = 2;

    /// Opens the channel; collective over `comm` and over the communicator that it was made from,
    /// whose ranks open their channels in the same order. `longest` is the size of the longest
    /// message in bytes, equal on all ranks. Without data only sizes are sent. Throws ConfigError
    /// if there are too many ranks for the signals or there is no memory for the window.
    PutChannel(Comm& comm, Bytes longest, bool has_data);

    /// Waits (`co_await`) until there is a free place at rank `to`.
    [[nodiscard]] WaitSignal place(Comm& comm, Rank to);
    /// Puts the message into the place that `place` has waited for.
    [[nodiscard]] Request send(Comm& comm, Rank to, ConstBuffer message);
    /// Waits (`co_await`) until a message of rank `from` has arrived.
    [[nodiscard]] WaitSignal arrival(Comm& comm, Rank from);
    /// Copies the message that `arrival` has waited for out of the window, and tells the sender
    /// that the place is free. The caller charges the memory traffic of the copy.
    [[nodiscard]] Request take(Comm& comm, Rank from, Buffer message);

    /// Reports whether messages of that size fit, with data if `has_data`.
    [[nodiscard]] bool serves(Bytes longest, bool has_data) const noexcept {
        return longest <= longest_ && (has_data_ || !has_data);
    }

private:
    /// The numbers of messages sent to and taken from another rank.
    struct Peer {
        std::int64_t sent = 0;
        std::int64_t taken = 0;
    };
    void check(const Comm& comm, ConstBuffer message) const;

    Bytes longest_;
    bool has_data_;
    OwnWindow window_;
    /// The target of copies for receivers without memory, if the window has real memory.
    std::vector<std::byte> nowhere_;
    PagedArray<Peer> peers_;
};

/// The channels of a communicator and of those that were made from it.
class PutChannels {
public:
    /// Returns an open channel that is large enough, or opens a new one; collective.
    [[nodiscard]] PutChannel& find(Comm& comm, Bytes longest, bool has_data);

private:
    /// The channels by the hash of their ranks.
    std::map<std::uint64_t, std::vector<std::unique_ptr<PutChannel>>> by_group_;
};

/// Returns the channel for an operation whose longest message has `longest` bytes; null if
/// `transport` needs none. The channel is kept with the root communicator of `comm`, so that the
/// next operation of the same ranks finds it. All ranks of the root must make the same call with
/// the same `longest`. At most one operation may use the channel at a time.
[[nodiscard]] PutChannel* open_channel(Comm& comm, Transport transport, Bytes longest,
                                       bool has_data);

}  // namespace tradewind

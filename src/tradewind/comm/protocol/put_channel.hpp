/// PutChannel: messages by one-sided puts among the ranks of a communicator, for any algorithm.
///
///     sender                               receiver
///     put, signal       ------------->     its place for this sender
///                                          waits for the signal, copies the message out
///                       <-- signal ---     the place is free
///
/// Each rank has a few places for every other one, used in turn, so that a sender waits only if it
/// is that many messages ahead. Where a message goes follows from the ranks and its number: nobody
/// has to tell an address. A put of the message and one of nothing for every message; a window of
/// `places` x (P - 1) of the longest message and 2 (P - 1) signals on each of P ranks.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "tradewind/base/paged_array.hpp"
#include "tradewind/comm/comm.hpp"
#include "tradewind/comm/protocol/transport.hpp"

namespace tradewind {

/// Messages between the same two ranks arrive in the order in which they were sent, and must be
/// taken in that order: there are no tags. One channel serves any number of operations, one after
/// the other.
class PutChannel {
public:
    /// Messages of one sender that can wait at a receiver.
    static constexpr std::int64_t places = 2;

    /// Collective over `comm`, and over what it was made from, which open theirs in the same order.
    /// `longest`: bytes of the longest message, equal on all ranks. Without data only sizes travel.
    /// Throws ConfigError where the window cannot be so large.
    PutChannel(Comm& comm, Bytes longest, bool has_data);

    /// `co_await`: until there is a place at rank `to`.
    [[nodiscard]] WaitSignal place(Comm& comm, Rank to);
    /// Then: the message goes there.
    [[nodiscard]] Request send(Comm& comm, Rank to, ConstBuffer message);
    /// `co_await`: until a message of rank `from` is there.
    [[nodiscard]] WaitSignal arrival(Comm& comm, Rank from);
    /// Then: copies it out and tells the sender; the memory traffic of the copy is the caller's to
    /// account for.
    [[nodiscard]] Request take(Comm& comm, Rank from, Buffer message);

    /// Whether messages of that size fit.
    [[nodiscard]] bool serves(Bytes longest, bool has_data) const noexcept {
        return longest <= longest_ && (has_data_ || !has_data);
    }

private:
    /// How many messages went to, and came from, another rank.
    struct Peer {
        std::int64_t sent = 0;
        std::int64_t taken = 0;
    };
    void check(const Comm& comm, ConstBuffer message) const;

    Bytes longest_;
    bool has_data_;
    OwnWindow window_;
    /// Where real memory is copied to for receivers that have none.
    std::vector<std::byte> nowhere_;
    PagedArray<Peer> peers_;
};

/// The channels of a communicator and of those that were made from it.
class PutChannels {
public:
    /// One that is there already and large enough, or a new one; collective.
    [[nodiscard]] PutChannel& find(Comm& comm, Bytes longest, bool has_data);

private:
    /// By a number that is made from the ranks.
    std::map<std::uint64_t, std::vector<std::unique_ptr<PutChannel>>> by_group_;
};

/// The channel for an operation whose longest message has `longest` bytes; null if `transport`
/// needs none. It is kept with the communicator that `comm` was made from, whose ranks must all
/// make the same call with an equal number, so that the next operation of the same ranks finds it.
/// At most one operation may use it at a time.
[[nodiscard]] PutChannel* open_channel(Comm& comm, Transport transport, Bytes longest,
                                       bool has_data);

}  // namespace tradewind

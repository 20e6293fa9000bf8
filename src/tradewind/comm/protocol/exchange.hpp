/// Exchanges of messages between two ranks (SWAP) or with two others (SENDRECV) by any protocol.
#pragma once

#include <functional>
#include <utility>

#include "tradewind/comm/comm.hpp"
#include "tradewind/comm/protocol/transport.hpp"

namespace tradewind {

/// Reports whether `rank` sends first in an ordered swap: the lower one of the two ranks does
/// (worley1998).
[[nodiscard]] constexpr bool swaps_first(Rank rank, Rank partner) noexcept {
    return rank < partner;
}
/// Reports whether `rank` sends first in an ordered shift, in which all ranks send to rank +
/// distance on a ring: every second block of `distance` ranks does. A cycle of the shift has ranks
/// of both kinds, and a rank that receives first has a source that sends first, so blocking calls
/// do not deadlock. With two ranks it is the rule of the swap.
[[nodiscard]] constexpr bool shifts_first(Rank rank, Rank distance) noexcept {
    return rank / distance % 2 == 0;
}

/// The exchanges of one operation, which all ranks list in the same order. Empty messages are not
/// sent: both ends know the size.
struct MessagePairs {
    std::int64_t count = 0;
    Tag tag = 0;
    /// The largest number of exchanges that are open at once under the protocols that overlap; a
    /// limit is needed if an exchange sends data that an earlier one has brought. 0: all of them.
    std::int64_t most_open = 0;
    /// A function that returns the partners and buffers of exchange i.
    std::function<MessagePair(std::int64_t)> pair;
    /// Work on the data of exchange i before they are sent. It overlaps with other messages as far
    /// as the protocol allows. May be empty.
    std::function<Task(Comm&, std::int64_t)> before_send = {};
    /// Work on the data of exchange i after they are received, with the same overlap. May be empty.
    std::function<Task(Comm&, std::int64_t)> after_receive = {};
    /// Work that needs no received data: under the protocols that overlap it is done while the
    /// first messages travel, under the others at the end. May be empty.
    std::function<Task(Comm&)> meanwhile = {};
};

/// Makes the exchanges one after the other under (0,x) and (1,x). Under (2,x) and (3,x) it opens
/// all first, with receives and go-aheads, then sends, and then completes each in order. The
/// default protocol by puts is (2,1). `pairs` and all buffers must outlive the task.
Task exchange(Comm& comm, const MessagePairs& pairs, Delivery delivery);
/// Makes a single exchange.
Task exchange(Comm& comm, MessagePair pair, Delivery delivery, Tag tag);
/// Starts an exchange by the default protocol: receive and send at once, without empty messages;
/// `co_await` the result.
[[nodiscard]] inline Transfer start(Comm& comm, const MessagePair& pair, Tag tag) {
    if (pair.in.size() > 0 && pair.out.size() > 0) {
        return comm.exchange(pair.to, pair.out, pair.from, pair.in, tag);
    }
    const Request receive = pair.in.size() > 0 ? comm.irecv(pair.from, pair.in, tag) : Request{};
    const Request send = pair.out.size() > 0 ? comm.isend(pair.to, pair.out, tag) : Request{};
    return Transfer(comm, {receive, send});
}

/// Exchanges messages with `partner`, which makes the same call.
[[nodiscard]] Task swap(Comm& comm, Rank partner, ConstBuffer out, Buffer in, Delivery delivery,
                        Tag tag = 0);

/// The two ends of a shift: sends to rank + distance, receives from rank - distance.
struct Shift {
    Rank to;
    Rank from;
};
/// Sends to one rank and receives from another; all ranks shift by the same distance, or it throws
/// ConfigError.
[[nodiscard]] Task sendrecv(Comm& comm, Shift shift, ConstBuffer out, Buffer in, Delivery delivery,
                            Tag tag = 0);

}  // namespace tradewind

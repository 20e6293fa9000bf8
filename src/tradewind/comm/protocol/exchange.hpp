/// Exchanges of messages between two ranks (SWAP) or with two others (SENDRECV) by any protocol.
#pragma once

#include <functional>
#include <utility>

#include "tradewind/comm/comm.hpp"
#include "tradewind/comm/protocol/transport.hpp"

namespace tradewind {

/// Of two ranks that swap, the lower one sends first (worley1998).
[[nodiscard]] constexpr bool swaps_first(Rank rank, Rank partner) noexcept {
    return rank < partner;
}
/// Of ranks that all send to rank + distance, round a ring, every second block of `distance` ranks
/// sends first. A cycle of the shift has ranks of both kinds, and whoever receives first has a
/// sender who sends first, so blocking calls do not lock. With two ranks it is the rule of the
/// swap.
[[nodiscard]] constexpr bool shifts_first(Rank rank, Rank distance) noexcept {
    return rank / distance % 2 == 0;
}

/// Exchanges that belong together. All ranks list theirs in the same order. An empty message
/// travels on neither side: both ends know its size.
struct MessagePairs {
    std::int64_t count = 0;
    Tag tag = 0;
    /// Under the protocols that overlap, at most that many exchanges are open at once: the next one
    /// may use what those before have brought. 0: all of them.
    std::int64_t most_open = 0;
    /// Buffers of exchange number i.
    std::function<MessagePair(std::int64_t)> pair;
    /// Work on the data of exchange i before they are sent, and after data were received; computes
    /// while other messages travel, as far as the protocol allows. May be empty.
    std::function<Task(Comm&, std::int64_t)> before_send = {};
    std::function<Task(Comm&, std::int64_t)> after_receive = {};
    /// Work that needs none of what is received: under the protocols that overlap it is done while
    /// the first messages travel, under the others afterwards. May be empty.
    std::function<Task(Comm&)> meanwhile = {};
};

/// One after the other under (0,x) and (1,x). Under (2,x) and (3,x) all are opened first: receives
/// and go-aheads, then sends; then each is completed, in their order. The default protocol, by
/// puts, is (2,1). `pairs` and all buffers must outlive the task.
Task exchange(Comm& comm, const MessagePairs& pairs, Delivery delivery);
/// A single one.
Task exchange(Comm& comm, MessagePair pair, Delivery delivery, Tag tag);
/// What the default protocol does: receives and sends at once, without empty messages; `co_await`
/// the result.
[[nodiscard]] inline Transfer start(Comm& comm, const MessagePair& pair, Tag tag) {
    if (pair.in.size() > 0 && pair.out.size() > 0) {
        return comm.exchange(pair.to, pair.out, pair.from, pair.in, tag);
    }
    const Request receive = pair.in.size() > 0 ? comm.irecv(pair.from, pair.in, tag) : Request{};
    const Request send = pair.out.size() > 0 ? comm.isend(pair.to, pair.out, tag) : Request{};
    return Transfer(comm, {receive, send});
}

/// Two ranks exchange messages.
[[nodiscard]] Task swap(Comm& comm, Rank partner, ConstBuffer out, Buffer in, Delivery delivery,
                        Tag tag = 0);

/// The two ends of a shift: sends to rank + distance, receives from rank - distance.
struct Shift {
    Rank to;
    Rank from;
};
/// All ranks shift by the same distance.
[[nodiscard]] Task sendrecv(Comm& comm, Shift shift, ConstBuffer out, Buffer in, Delivery delivery,
                            Tag tag = 0);

}  // namespace tradewind

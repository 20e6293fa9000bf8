/// PutSwap: the SWAP of two ranks by one-sided puts.
#pragma once

#include <vector>

#include "tradewind/comm/comm.hpp"
#include "tradewind/comm/protocol/protocol.hpp"

namespace tradewind {

/// Swaps with one partner, again and again. A send is a put with a signal, a receive the wait for
/// that signal. No receive is posted, so that of the calls of a protocol these are left:
///
///     variant   unordered (0,x)                      ordered (1,x)
///     0         copy, put, wait for the signal       as (1,2)
///     1         put, wait for the signal, complete   the same, one side first
///     2         put, complete, wait for the signal   the same, one side first
///     3         as (0,1)                             as (1,1)
///     4, 5      as 2 and 1, after a go-ahead         the same; the second side gives a go-ahead
///     6         none                                 as (1,2), after a go-ahead each
///
/// Messages fall into the two halves of the window in turn: a partner is at most one swap ahead.
class PutSwap {
public:
    /// Collective: `comm` exposes `memory`, which holds two of the longest messages and must live
    /// as long as `comm`.
    PutSwap(Comm& comm, Rank partner, Buffer memory);

    /// Whether the protocol differs from all others here: neither a native call, nor an overlap
    /// form, nor one that the table above calls the same as another.
    [[nodiscard]] static bool has(Protocol protocol) noexcept;

    /// Both sides swap equally long messages by the same protocol, on the communicator of the
    /// constructor. Throws ConfigError for a protocol that `has` refuses.
    Task swap(Comm& comm, ConstBuffer out, Protocol protocol);
    /// The message that the last swap has brought; until the next one begins.
    [[nodiscard]] Buffer received() const noexcept;

private:
    void tell(Comm& comm);
    Task send(Comm& comm, ConstBuffer out, Calls calls, bool waits);

    Rank partner_;
    Buffer memory_;
    Window window_;
    Bytes size_ = 0;
    std::int64_t swaps_ = 0;
    std::int64_t go_aheads_ = 0;
    Request sends_[2];
    std::vector<std::byte> copy_;
};

}  // namespace tradewind

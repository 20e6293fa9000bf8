/// PutSwap: the SWAP of two ranks by one-sided puts.
#pragma once

#include <vector>

#include "tradewind/comm/comm.hpp"
#include "tradewind/comm/protocol/protocol.hpp"

namespace tradewind {

/// Repeated swaps with one partner. A send is a put with a signal, a receive the wait for that
/// signal. No receive is posted, so that the protocols reduce to these calls:
///
///     variant   unordered (0,x)                      ordered (1,x)
///     0         copy, put, wait for the signal       as (1,2)
///     1         put, wait for the signal, complete   the same, one side first
///     2         put, complete, wait for the signal   the same, one side first
///     3         as (0,1)                             as (1,1)
///     4, 5      as 2 and 1, after a go-ahead         the same; the second side gives a go-ahead
///     6         none                                 as (1,2), after a go-ahead each
///
/// Messages use the two halves of the window in turn: a partner is at most one swap ahead.
class PutSwap {
public:
    /// Exposes `memory` on `comm`; collective. `memory` holds two of the longest messages and must
    /// live as long as `comm`.
    PutSwap(Comm& comm, Rank partner, Buffer memory);

    /// Reports whether the protocol exists here and differs from all others: it is neither the
    /// default, nor a native call, nor a form that overlaps, nor equal to another one in the table
    /// above.
    [[nodiscard]] static bool has(Protocol protocol) noexcept;

    /// Swaps messages of equal size with the partner, which uses the same protocol, on the
    /// communicator of the constructor. Throws ConfigError for a protocol that `has` refuses, and
    /// for a message longer than half of the window.
    Task swap(Comm& comm, ConstBuffer out, Protocol protocol);
    /// Returns the message that the last swap has brought; valid until the next swap begins.
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

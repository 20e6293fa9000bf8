/// Protocol: the calls, and their order, by which two ranks exchange messages; the protocols of
/// worley1998, Table 2, by name.
///
/// A protocol is a pair (order, variant). Order 0: both sides act at once. Order 1: one side sends
/// first, the other one answers. Orders 2 and 3: the same with the calls of several exchanges
/// separated, so that all receives are posted before the first message is sent, and messages are
/// received while others travel.
///
///     variant   unordered (0,x)                        ordered (1,x)
///     0         buffered send, receive                 send, receive | receive, send
///     1         isend, receive, wait                   the same calls, one side first
///     2         irecv, send, wait                      irecv, send, wait | receive, send
///     3         irecv, isend, wait for both            irecv, isend | receive, isend
///     4         irecv, go-ahead, ready send, wait      irecv | go-ahead, receive; ready sends
///     5         the same with nonblocking ready send   the same with nonblocking ready send
///     6         sendrecv                               go-ahead, send; then the roles swap
///
/// Two misprints of the table are corrected: its last ordered entry, printed as (1,4), is (1,6);
/// (0,5) and (1,5) are printed with the blocking ready send.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace tradewind {

/// The calls that one variant of a protocol makes.
struct Calls {
    enum class Send : std::uint8_t { buffered, standard, ready };

    Send send = Send::standard;
    /// The send is completed before the next call, not at the end.
    bool blocking = false;
    /// The receive is posted before anything is sent.
    bool posted = false;
    /// An empty message tells the sender that it may send.
    bool go_ahead = false;
    /// One call makes both directions of the exchange and cannot be separated.
    bool native = false;
};

class Protocol {
public:
    /// Constructs the default protocol, which posts all receives and sends of a stage at once.
    constexpr Protocol() = default;
    /// Constructs (order, variant) without checks; numbers given by a user go through
    /// `find_protocol`.
    constexpr Protocol(int order, int variant) noexcept
        : order_(std::int8_t(order)), variant_(std::int8_t(variant)) {}

    [[nodiscard]] constexpr bool is_default() const noexcept { return order_ < 0; }
    [[nodiscard]] constexpr int order() const noexcept { return order_; }
    [[nodiscard]] constexpr int variant() const noexcept { return variant_; }
    [[nodiscard]] constexpr bool is_ordered() const noexcept { return order_ == 1 || order_ == 3; }
    [[nodiscard]] constexpr bool overlaps() const noexcept { return order_ >= 2; }
    [[nodiscard]] Calls calls() const noexcept;
    friend constexpr bool operator==(Protocol, Protocol) = default;

private:
    std::int8_t order_ = -1;
    std::int8_t variant_ = 0;
};

struct ProtocolEntry {
    /// The name in the paper, such as "(1,6)".
    std::string_view name;
    /// The name in words, such as "synchronous".
    std::string_view words;
    Protocol protocol;
    std::string_view summary;
};

/// Returns all protocols: those of Table 2, then their forms that overlap.
[[nodiscard]] std::span<const ProtocolEntry> protocols();
/// Finds a protocol by either name, or "default"; throws a ConfigError that names the known ones.
[[nodiscard]] Protocol find_protocol(std::string_view name);
/// Throws ConfigError unless `protocol` is the default; for algorithms that cannot follow another
/// one.
void require_default(Protocol protocol, std::string_view algorithm);

}  // namespace tradewind

/// Transport: two-sided messages or one-sided puts as the carrier of the messages of an exchange;
/// and Delivery, a transport together with a protocol.
///
/// A send by puts is a put with a signal, and a receive is the wait for that signal (see
/// PutChannel). No receive is posted and no send is ready or synchronous, so that the protocols of
/// worley1998 reduce to these:
///
///     variant   unordered (0,x), (2,x)               ordered (1,x), (3,x)
///     0         copy, put, wait for the signal       put, complete, wait; one side first
///     1         put, wait for the signal, complete   the same, one side first
///     2         put, complete, wait for the signal   the same, one side first
///     3         as variant 1                         as variant 1
#pragma once

#include <string_view>
#include <vector>

#include "tradewind/comm/protocol/protocol.hpp"

namespace tradewind {

class PutChannel;

enum class Transport : std::uint8_t { two_sided, puts };

/// Finds the transport "two_sided" or "puts"; throws ConfigError for any other name.
[[nodiscard]] Transport find_transport(std::string_view name);
[[nodiscard]] std::string_view name_of(Transport transport) noexcept;
/// Reports whether puts can carry the calls of `protocol`, which must have no go-aheads, ready
/// sends or sendrecv.
[[nodiscard]] bool puts_carry(Protocol protocol) noexcept;
/// Returns the names of the protocols that differ from one another by puts, without the default.
[[nodiscard]] std::vector<std::string_view> put_protocols();
/// Throws ConfigError unless `transport` can carry `protocol`.
void require_carried(Transport transport, Protocol protocol, std::string_view algorithm);
/// Throws ConfigError unless `transport` is the default; for operations that cannot use another
/// one.
void require_two_sided(Transport transport, std::string_view who);

/// The protocol and the transport of an exchange of messages.
struct Delivery {
    Delivery() = default;
    /// Selects two-sided messages.
    Delivery(Protocol by) noexcept : protocol(by) {}
    /// Selects puts through a channel; two-sided messages if it is null.
    Delivery(Protocol by, PutChannel* through) noexcept : protocol(by), puts(through) {}

    /// Reports whether receives and sends at once are all that is needed.
    [[nodiscard]] bool is_plain() const noexcept {
        return puts == nullptr && protocol.is_default();
    }

    Protocol protocol;
    PutChannel* puts = nullptr;
};

}  // namespace tradewind

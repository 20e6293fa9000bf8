/// Transport: what carries the messages of an exchange: sends that meet receives, or one-sided
/// puts; and Delivery, transport and protocol together.
///
/// By puts a send is a put with a signal, a receive the wait for that signal (see PutChannel). No
/// receive is posted and nothing is ready or synchronous, so that of the protocols of worley1998
/// these are left:
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

/// "two_sided" or "puts"; throws ConfigError otherwise.
[[nodiscard]] Transport find_transport(std::string_view name);
[[nodiscard]] std::string_view name_of(Transport transport) noexcept;
/// Whether puts can carry the calls of `protocol`: neither go-aheads and ready sends, nor sendrecv.
[[nodiscard]] bool puts_carry(Protocol protocol) noexcept;
/// The names of those that differ from one another by puts; without the default.
[[nodiscard]] std::vector<std::string_view> put_protocols();
/// Throws ConfigError unless `transport` can carry `protocol`.
void require_carried(Transport transport, Protocol protocol, std::string_view algorithm);
/// Throws ConfigError unless `transport` is the default: for what cannot use another.
void require_two_sided(Transport transport, std::string_view who);

/// How messages are exchanged.
struct Delivery {
    Delivery() = default;
    /// Two-sided.
    Delivery(Protocol by) noexcept : protocol(by) {}
    /// By puts through a channel; two-sided if it is null.
    Delivery(Protocol by, PutChannel* through) noexcept : protocol(by), puts(through) {}

    /// All that is needed are receives and sends at once.
    [[nodiscard]] bool is_plain() const noexcept {
        return puts == nullptr && protocol.is_default();
    }

    Protocol protocol;
    PutChannel* puts = nullptr;
};

}  // namespace tradewind

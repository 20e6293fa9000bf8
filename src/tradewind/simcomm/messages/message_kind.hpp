/// MessageKind: the part that a message plays in its protocol.
#pragma once

#include <cstdint>

#include "tradewind/sim/network/message.hpp"

namespace tradewind::simcomm {

/// The kinds of messages, kept in Message::kind. The message of a rendezvous changes its kind on
/// the way.
enum class MessageKind : std::uint8_t {
    eager,            ///< carries its data at once
    ready,            ///< as eager, but its receive must be posted
    request_to_send,  ///< announces data; carries none
    clear_to_send,    ///< the answer, back to the source
    data,             ///< the data that were announced
    put,              ///< goes into a window, without a receive
};

[[nodiscard]] inline MessageKind kind_of(const sim::Message& message) noexcept {
    return MessageKind(message.kind);
}
[[nodiscard]] inline bool is_control(MessageKind kind) noexcept {
    return kind == MessageKind::request_to_send || kind == MessageKind::clear_to_send;
}
/// Returns true for messages that look for a receive that fits.
[[nodiscard]] inline bool is_matched(MessageKind kind) noexcept {
    return kind == MessageKind::eager || kind == MessageKind::ready ||
           kind == MessageKind::request_to_send;
}

}  // namespace tradewind::simcomm

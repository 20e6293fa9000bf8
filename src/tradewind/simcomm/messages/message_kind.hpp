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
    access,           ///< data of an access to the memory of its destination
    accumulate,       ///< the same, to be combined with what is there
    read_request,     ///< asks for data of the destination's memory; carries none
    read_data,        ///< these data, back to the source
    acknowledgement,  ///< tells the source that its data are in memory
    lock_request,     ///< asks for the lock of a window
    lock_grant,       ///< the answer, back to the source
    unlock,           ///< gives the lock back
    post_notice,      ///< tells an origin that it may access the memory
    complete_notice,  ///< tells a target that the accesses to its memory are over
};

[[nodiscard]] inline MessageKind kind_of(const sim::Message& message) noexcept {
    return MessageKind(message.kind);
}
[[nodiscard]] inline bool is_control(MessageKind kind) noexcept {
    return kind == MessageKind::request_to_send || kind == MessageKind::clear_to_send ||
           kind == MessageKind::read_request || kind >= MessageKind::acknowledgement;
}
/// Returns true for messages that go back to the source of what they answer.
[[nodiscard]] inline bool is_answer(MessageKind kind) noexcept {
    return kind == MessageKind::clear_to_send || kind == MessageKind::read_data ||
           kind == MessageKind::acknowledgement || kind == MessageKind::lock_grant;
}
/// Returns true for messages that go into memory or come out of it without a receive.
[[nodiscard]] inline bool is_one_sided(MessageKind kind) noexcept {
    return kind >= MessageKind::put;
}
/// Returns true for messages that carry data into memory without a receive.
[[nodiscard]] inline bool is_write(MessageKind kind) noexcept {
    return kind == MessageKind::put || kind == MessageKind::access ||
           kind == MessageKind::accumulate;
}
/// Returns true for notices about a window.
[[nodiscard]] inline bool is_notice(MessageKind kind) noexcept {
    return kind >= MessageKind::post_notice;
}
/// Returns true for messages that look for a receive that fits.
[[nodiscard]] inline bool is_matched(MessageKind kind) noexcept {
    return kind == MessageKind::eager || kind == MessageKind::ready ||
           kind == MessageKind::request_to_send;
}

}  // namespace tradewind::simcomm

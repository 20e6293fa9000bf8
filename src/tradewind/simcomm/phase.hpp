/// Phase: where a message is in its protocol.
#pragma once

#include <cstdint>

namespace tradewind::simcomm {

/// The protocol of a message, step by step; kept in Message::phase.
enum class Phase : std::uint8_t {
    eager,            ///< carries its data at once
    ready,            ///< as eager, but its receive must be posted
    request_to_send,  ///< announces data; carries none
    clear_to_send,    ///< the answer, back to the source
    data,             ///< what was announced
    put,              ///< goes into a window, without a receive
};

[[nodiscard]] inline bool is_control(Phase phase) noexcept {
    return phase == Phase::request_to_send || phase == Phase::clear_to_send;
}
/// True for what looks for a receive that fits.
[[nodiscard]] inline bool is_matched(Phase phase) noexcept {
    return phase == Phase::eager || phase == Phase::ready || phase == Phase::request_to_send;
}

}  // namespace tradewind::simcomm

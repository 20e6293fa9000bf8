/// PersistentMessages: messages that a rank starts again and again, like the persistent requests of
/// MPI.
#pragma once

#include <span>
#include <vector>

#include "tradewind/comm/types.hpp"
#include "tradewind/comm/wait.hpp"

namespace tradewind {

/// A message whose peer and memory stay the same.
struct FixedMessage {
    [[nodiscard]] static FixedMessage send(Rank to, ConstBuffer data) noexcept {
        return {to, data, {}, true};
    }
    [[nodiscard]] static FixedMessage receive(Rank from, Buffer data) noexcept {
        return {from, {}, data, false};
    }
    [[nodiscard]] Bytes size() const noexcept { return is_send ? out.size() : in.size(); }

    Rank peer = 0;
    ConstBuffer out;
    Buffer in;
    bool is_send = false;
};
using FixedMessages = std::vector<FixedMessage>;

/// Prepared messages. None of them may be under way when this object is destroyed.
class PersistentMessages {
public:
    PersistentMessages() = default;
    PersistentMessages(const PersistentMessages&) = delete;
    PersistentMessages& operator=(const PersistentMessages&) = delete;
    virtual ~PersistentMessages() = default;

    /// Starts as many messages as `started` has requests, from number `first` on and in order. Each
    /// of them must be complete since it was last started.
    virtual void start(std::size_t first, std::span<Request> started) = 0;
};

}  // namespace tradewind

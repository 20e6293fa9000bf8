/// The messages and bytes that all ranks of an operation send together.
#pragma once

#include <cstdint>

#include "tradewind/base/units.hpp"

namespace tradewind {

struct MessageTotals {
    std::int64_t messages = 0;
    Bytes bytes = 0;

    /// Adds one message.
    constexpr void add(Bytes size) noexcept {
        ++messages;
        bytes += size;
    }
    [[nodiscard]] friend constexpr MessageTotals operator+(MessageTotals a,
                                                           MessageTotals b) noexcept {
        return {a.messages + b.messages, a.bytes + b.bytes};
    }
    [[nodiscard]] friend constexpr bool operator==(MessageTotals, MessageTotals) = default;
};

}  // namespace tradewind

/// A look for interrupts, such as Ctrl-C, in every loop that can last a second.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "tradewind/base/errors.hpp"

namespace tradewind {

/// The function that reports whether the user wants to stop; null: nobody can ask. Any thread calls
/// it, some twenty times a second.
inline std::atomic<bool (*)()> interrupt_source = nullptr;

namespace interrupt_details {

constexpr std::int64_t operations_per_look = std::int64_t{1} << 16;
constexpr std::chrono::milliseconds between_questions{50};
inline constinit thread_local std::int64_t operations_left = operations_per_look;
inline constinit thread_local std::chrono::steady_clock::rep asked = 0;

/// Throws Interrupted if the user wants to stop, after a look at the clock.
[[gnu::noinline]] inline void look() {
    operations_left = operations_per_look;
    const auto source = interrupt_source.load(std::memory_order_relaxed);
    if (source == nullptr) return;
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    if (now - std::chrono::steady_clock::duration(asked) < between_questions) return;
    asked = now.count();
    if (source()) throw Interrupted("interrupted");
}

}  // namespace interrupt_details

/// Throws Interrupted if the user wants to stop. Looks once in some ten thousand of the
/// `operations` of all calls, of some nanoseconds each.
inline void check_interrupts(std::int64_t operations = 1) {
    interrupt_details::operations_left -= operations;
    if (interrupt_details::operations_left < 0) [[unlikely]]
        interrupt_details::look();
}

/// The operations that stand for a loop body of more than some microseconds.
inline constexpr std::int64_t long_operation = interrupt_details::operations_per_look;

}  // namespace tradewind

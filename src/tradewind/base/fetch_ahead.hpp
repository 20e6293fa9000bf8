/// Asking for memory before it is needed.
#pragma once

namespace tradewind {

/// Asks for the cache line at `address`, which need not be valid. g++ 12 takes a function that only
/// prefetches for one without effect and drops calls of it; the empty statement keeps them.
[[gnu::always_inline]] inline void fetch_ahead(const void* address) noexcept {
    __builtin_prefetch(address);
    __asm__ volatile("");
}

}  // namespace tradewind

/// Prefetching of memory before it is needed.
#pragma once

namespace tradewind {

/// Prefetches the cache line at `address`, which need not be valid. g++ 12 assumes that a function
/// that only prefetches has no effect, and drops calls to it; the empty statement keeps them.
[[gnu::always_inline]] inline void fetch_ahead(const void* address) noexcept {
    __builtin_prefetch(address);
    __asm__ volatile("");
}

}  // namespace tradewind

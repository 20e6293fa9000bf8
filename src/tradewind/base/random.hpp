/// Deterministic random numbers: stateless hashes of counters, so that the order of calls does not
/// matter.
#pragma once

#include <cstdint>

namespace tradewind {

/// Applies the SplitMix64 finaliser (Steele, Lea, Flood 2014), a bijection of 64-bit numbers that
/// mixes all bits.
[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t x) noexcept {
    x += 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t a, std::uint64_t b) noexcept {
    return mix(mix(a) ^ b);
}

/// Returns a number in [0, bound) from 64 random bits, by multiplication (no division, bias below
/// 2^-32).
[[nodiscard]] constexpr std::uint32_t below(std::uint64_t bits, std::uint32_t bound) noexcept {
    return static_cast<std::uint32_t>(((bits >> 32) * bound) >> 32);
}

/// Returns a number of mean 0 and standard deviation 1 between -3.47 and 3.47 from 64 random bits:
/// the sum of four equally distributed ones.
[[nodiscard]] constexpr double nearly_normal(std::uint64_t bits) noexcept {
    double sum = 0.0;
    for (int part = 0; part < 4; ++part) sum += double((bits >> (16 * part)) & 0xffff) + 0.5;
    return (sum / 65536.0 - 2.0) * 1.7320508075688772;
}

}  // namespace tradewind

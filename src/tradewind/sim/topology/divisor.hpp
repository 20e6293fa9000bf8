/// Divisor: division of numbers below 2^31 by a fixed number, as one multiplication.
#pragma once

#include <cstdint>

namespace tradewind::sim {

/// A divisor as a reciprocal. With m = ceil(2^62 / d), floor(n m / 2^62) = floor(n / d) for all 0
/// <= n, d < 2^31 (Granlund and Montgomery 1994): the error n (m d - 2^62) / (d 2^62) stays below 1
/// / d.
class Divisor {
public:
    constexpr Divisor() noexcept : Divisor(1) {}
    constexpr explicit Divisor(std::int32_t value) noexcept
        : factor_((one + static_cast<std::uint64_t>(value) - 1) /
                  static_cast<std::uint64_t>(value)),
          value_(value) {}

    [[nodiscard]] constexpr std::int32_t quotient(std::int32_t number) const noexcept {
        const auto shifted = static_cast<std::uint64_t>(static_cast<std::uint32_t>(number)) << 2U;
        return static_cast<std::int32_t>((static_cast<Wide>(factor_) * shifted) >> 64U);
    }
    [[nodiscard]] constexpr std::int32_t remainder(std::int32_t number) const noexcept {
        return number - quotient(number) * value_;
    }
    [[nodiscard]] constexpr std::int32_t value() const noexcept { return value_; }

private:
    __extension__ using Wide = unsigned __int128;
    static constexpr std::uint64_t one = std::uint64_t{1} << 62U;

    std::uint64_t factor_;
    std::int32_t value_;
};

}  // namespace tradewind::sim

/// Ranks in base -2: the arithmetic of Swing and of Bine trees.
#pragma once

#include <cstdint>

#include "tradewind/comm/types.hpp"

namespace tradewind {

/// The steps on a ring of 2^levels ranks. Step s joins even ranks r with r + rho(s) and odd ones
/// with r - rho(s), with rho(s) = (1 - (-2)^(s+1)) / 3 = 1, -1, 3, -5, 11, ... Each rank reaches
/// every other one by taking some of the steps, each at most once, in rising order, and this path
/// is unique; the same holds for falling order. Swing (desensi2024), Bine trees (desensi2025).
class Negabinary {
public:
    explicit constexpr Negabinary(int levels) noexcept : mask_((std::uint64_t{1} << levels) - 1) {}

    [[nodiscard]] constexpr Rank partner(Rank rank, int step) const noexcept {
        const std::int64_t power = std::int64_t{1} << (step + 1);
        const std::int64_t rho = (step % 2 == 0 ? 1 + power : 1 - power) / 3;
        return Rank(std::uint64_t(rank % 2 == 0 ? rank + rho : rank - rho) & mask_);
    }
    /// Returns the steps of the path from rank 0 to `rank` in rising order: bit s is set if it
    /// takes step s. The digits of the (negated, if even) rank change exactly at the steps taken,
    /// since rho(s) is the sum of (-2)^i up to i = s.
    [[nodiscard]] constexpr std::uint64_t rising(Rank rank) const noexcept {
        return changes(digits(rank % 2 == 0 ? -rank : rank));
    }
    /// Returns the steps of the path from rank 0 to `rank` in falling order.
    [[nodiscard]] constexpr std::uint64_t falling(Rank rank) const noexcept {
        return changes(digits(rank));
    }

private:
    /// Returns the lowest digits of `number` in base -2.
    [[nodiscard]] constexpr std::uint64_t digits(std::int64_t number) const noexcept {
        constexpr std::uint64_t odd_places = 0xAAAAAAAAAAAAAAAA;
        return ((std::uint64_t(number) + odd_places) ^ odd_places) & mask_;
    }
    [[nodiscard]] static constexpr std::uint64_t changes(std::uint64_t digits) noexcept {
        return digits ^ (digits >> 1U);
    }

    std::uint64_t mask_;
};

}  // namespace tradewind

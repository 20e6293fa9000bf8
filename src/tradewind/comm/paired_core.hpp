/// PairedCore: the largest power of two of ranks, of which some work for another rank, too.
#pragma once

#include <bit>

#include "tradewind/comm/types.hpp"

namespace tradewind {

/// The positions of the core: each has one rank and its block, or one of the first, `pairs` in
/// number, an even rank and the odd one behind it, which works for both.
class PairedCore {
public:
    explicit PairedCore(Rank ranks) noexcept
        : size_(Rank(std::bit_floor(std::uint64_t(ranks)))), pairs_(ranks - size_) {}
    [[nodiscard]] Rank size() const noexcept { return size_; }
    [[nodiscard]] Rank pairs() const noexcept { return pairs_; }
    [[nodiscard]] bool is_in_pair(Rank rank) const noexcept { return rank < 2 * pairs_; }
    /// Reports whether another rank works for this one.
    [[nodiscard]] bool is_folded(Rank rank) const noexcept {
        return is_in_pair(rank) && rank % 2 == 0;
    }
    [[nodiscard]] Rank position(Rank rank) const noexcept {
        return is_in_pair(rank) ? rank / 2 : rank - pairs_;
    }
    /// Returns the first rank of a position; that of position size() is the number of ranks.
    [[nodiscard]] Rank first(Rank position) const noexcept {
        return position < pairs_ ? 2 * position : position + pairs_;
    }
    /// Returns the rank that works at a position.
    [[nodiscard]] Rank worker(Rank position) const noexcept { return first(position + 1) - 1; }

private:
    Rank size_;
    Rank pairs_;
};

/// Returns a position of a power of two of positions with its bits in reverse order.
[[nodiscard]] inline Rank mirrored(Rank position, Rank positions) noexcept {
    Rank mirror = 0;
    for (Rank bit = 1; bit < positions; bit *= 2)
        mirror = 2 * mirror + ((position & bit) != 0 ? 1 : 0);
    return mirror;
}

}  // namespace tradewind

/// Distribution: the cyclic distribution of n items over P parts, by arithmetic.
///
///     n = 7, P = 3    blocks          0 1 2 | 3 4 | 5 6
///                     snake           0 5 6 | 1 4 | 2 3      (to and fro: 0 1 2, 2 1 0, ...)
///     n = 7, P = 4    residues        0 4 | 2 6 | 1 5 | 3    (P a power of two, bits reversed)
///
/// Wavenumber m costs M + 2 - m degrees, so the snake order balances the work.
#pragma once

#include <vector>

#include "tradewind/base/partition.hpp"

namespace tradewind::spectral {

class Distribution {
public:
    enum class Order : std::uint8_t { blocks, snake, residues };

    Distribution() = default;
    Distribution(Order order, std::int64_t items, std::int64_t parts)
        : order_(order), blocks_(items, parts) {}

    [[nodiscard]] std::int64_t items() const noexcept { return blocks_.items(); }
    [[nodiscard]] std::int64_t parts() const noexcept { return blocks_.parts(); }
    [[nodiscard]] std::int64_t size(std::int64_t part) const noexcept {
        if (order_ == Order::residues) return (items() - 1 - residue(part) + parts()) / parts();
        return blocks_.size(mirrored(part));
    }
    /// Returns how many items all parts before `part` hold.
    [[nodiscard]] std::int64_t before(std::int64_t part) const noexcept {
        if (order_ == Order::residues) {
            std::int64_t sum = 0;
            for (std::int64_t other = 0; other < part; ++other) sum += size(other);
            return sum;
        }
        if (!last_round_is_reversed()) return blocks_.start(part);
        return items() - blocks_.start(parts() - part);
    }
    /// Returns item number i of a part; items of a part ascend.
    [[nodiscard]] std::int64_t item(std::int64_t part, std::int64_t i) const noexcept {
        if (order_ == Order::blocks) return blocks_.start(part) + i;
        if (order_ == Order::residues) return residue(part) + i * parts();
        return i * parts() + (i % 2 == 0 ? part : parts() - 1 - part);
    }
    /// Returns the bits of `part` in reverse order. A part of residues holds the items with this
    /// remainder by the number of parts, which must be a power of two. The function is its own
    /// inverse.
    [[nodiscard]] std::int64_t residue(std::int64_t part) const noexcept {
        std::int64_t reversed = 0;
        for (std::int64_t bit = 1; bit < parts(); bit *= 2)
            reversed = 2 * reversed + ((part & bit) != 0 ? 1 : 0);
        return reversed;
    }
    [[nodiscard]] std::vector<std::int64_t> items_of(std::int64_t part) const {
        std::vector<std::int64_t> list;
        for (std::int64_t i = 0; i < size(part); ++i) list.push_back(item(part, i));
        return list;
    }

private:
    /// Returns whether the last, incomplete round reaches the last parts instead of the first ones.
    [[nodiscard]] bool last_round_is_reversed() const noexcept {
        return order_ == Order::snake && items() / parts() % 2 == 1;
    }
    [[nodiscard]] std::int64_t mirrored(std::int64_t part) const noexcept {
        return last_round_is_reversed() ? parts() - 1 - part : part;
    }

    Order order_ = Order::blocks;
    Partition blocks_;
};

}  // namespace tradewind::spectral

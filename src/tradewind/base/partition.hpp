/// Partition: n items distributed over p parts as evenly as possible, by arithmetic.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "tradewind/base/errors.hpp"

namespace tradewind {

/// A block distribution in which the first n mod p parts hold one item more than the others.
///
///     n = 11, p = 4     0 1 2 | 3 4 5 | 6 7 8 | 9 10
class Partition {
public:
    Partition() = default;
    /// Throws ConfigError unless items >= 0 and parts >= 1.
    Partition(std::int64_t items, std::int64_t parts) {
        if (items < 0 || parts < 1) {
            throw ConfigError(
                text("partition: ", items, " items cannot be cut into ", parts, " parts"));
        }
        short_ = items / parts;
        longer_ = items - parts * short_;
        parts_ = parts;
    }

    [[nodiscard]] std::int64_t items() const noexcept { return parts_ * short_ + longer_; }
    [[nodiscard]] std::int64_t parts() const noexcept { return parts_; }
    [[nodiscard]] std::int64_t start(std::int64_t part) const noexcept {
        return part * short_ + std::min(part, longer_);
    }
    [[nodiscard]] std::int64_t size(std::int64_t part) const noexcept {
        return short_ + (part < longer_ ? 1 : 0);
    }
    /// Reports whether all parts have the same size.
    [[nodiscard]] bool is_even() const noexcept { return longer_ == 0; }
    /// Returns the part that holds `item`; costs one division.
    [[nodiscard]] std::int64_t owner(std::int64_t item) const noexcept {
        const std::int64_t in_longer = longer_ * (short_ + 1);
        if (item < in_longer) return item / (short_ + 1);
        return longer_ + (item - in_longer) / short_;
    }

private:
    std::int64_t short_ = 0;   // items in a short part
    std::int64_t longer_ = 0;  // number of parts with one item more
    std::int64_t parts_ = 1;
};

/// Returns a partition without empty parts; throws a ConfigError that names the dimension if there
/// are more parts than items.
[[nodiscard]] inline Partition full_partition(std::string_view dimension, std::int64_t items,
                                              std::int64_t parts) {
    if (parts > items) {
        throw ConfigError(text(dimension, " has ", items, " points and cannot be cut into ", parts,
                               " parts; at most ", items, " are possible"));
    }
    return {items, parts};
}

}  // namespace tradewind

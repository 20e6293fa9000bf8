/// The units of every interface: times in integer picoseconds, sizes in bytes, rates in bytes per
/// second.
#pragma once

#include <cmath>
#include <cstdint>

namespace tradewind {

using Picoseconds = std::int64_t;
using Bytes = std::int64_t;

inline constexpr Picoseconds picoseconds_per_second = 1'000'000'000'000;

/// A fixed transfer rate. Transfer times are rounded to the nearest picosecond and are at least 1
/// ps for a positive size, so that two packets on one link never carry the same time stamp.
class TransferRate {
public:
    TransferRate() = default;
    explicit TransferRate(double bytes_per_second)
        : ps_per_byte_(bytes_per_second > 0 ? 1e12 / bytes_per_second : 0.0) {}

    [[nodiscard]] Picoseconds time(Bytes bytes) const noexcept {
        const auto exact =
            static_cast<Picoseconds>(static_cast<double>(bytes) * ps_per_byte_ + 0.5);
        return exact > 0 || bytes == 0 ? exact : 1;
    }
    [[nodiscard]] double ps_per_byte() const noexcept { return ps_per_byte_; }

private:
    double ps_per_byte_ = 0.0;
};

[[nodiscard]] inline double seconds(Picoseconds time) noexcept {
    return static_cast<double>(time) * 1e-12;
}

}  // namespace tradewind

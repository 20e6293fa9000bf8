/// The times of the measurement of overlap, and what follows from them.
#pragma once

#include <cstdint>

#include "tradewind/base/units.hpp"

namespace tradewind::measure {

/// The three times of a message that computation is to hide, each per repetition.
struct OverlapTimes {
    /// Message alone.
    double base = 0.0;
    /// Message and work.
    double iteration = 0.0;
    /// Work alone.
    double work = 0.0;

    /// Returns the message's share of the processor.
    [[nodiscard]] constexpr double overhead() const noexcept { return iteration - work; }
    /// Returns the share of the message's time that is left to the processor; 0 if it takes none.
    /// Noise makes it negative or more than 1 where the work takes much longer than the message.
    [[nodiscard]] constexpr double availability() const noexcept {
        return base > 0.0 ? 1.0 - overhead() / base : 0.0;
    }
};

/// Returns the repetitions of one amount of work unless others are asked for, as many as in
/// Sandia's benchmark.
[[nodiscard]] constexpr std::int64_t overlap_repetitions(Bytes bytes) noexcept {
    if (bytes < (Bytes{64} << 10)) return 1000;
    return bytes < (Bytes{8} << 20) ? 100 : 10;
}

}  // namespace tradewind::measure

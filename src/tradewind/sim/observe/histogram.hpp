/// Histogram: counts of times in logarithmic bins, exact minimum, maximum and sum.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "tradewind/base/units.hpp"

namespace tradewind::sim {

/// A histogram with sixteen bins for each power of two, from 1 ps on, so that the relative width of
/// a bin is below 6.3 %. Bin 0 holds zero.
class Histogram {
public:
    static constexpr int steps = 16;
    static constexpr int bins = 48 * steps + 1;

    void add(Picoseconds value) noexcept {
        ++counts_[std::size_t(bin_of(value))];
        ++count_;
        sum_high_ += value >> sum_bits;
        sum_low_ += value & ((Picoseconds{1} << sum_bits) - 1);
        minimum_ = std::min(minimum_, value);
        maximum_ = std::max(maximum_, value);
    }
    void merge(const Histogram& other) noexcept {
        for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
        count_ += other.count_;
        sum_high_ += other.sum_high_;
        sum_low_ += other.sum_low_;
        minimum_ = std::min(minimum_, other.minimum_);
        maximum_ = std::max(maximum_, other.maximum_);
    }

    [[nodiscard]] std::int64_t count() const noexcept { return count_; }
    [[nodiscard]] Picoseconds minimum() const noexcept { return count_ > 0 ? minimum_ : 0; }
    [[nodiscard]] Picoseconds maximum() const noexcept { return maximum_; }
    [[nodiscard]] double mean() const noexcept {
        const double sum = std::ldexp(double(sum_high_), sum_bits) + double(sum_low_);
        return count_ > 0 ? sum / double(count_) : 0.0;
    }
    /// Returns the middle of the bin that holds the value of rank fraction * count, within
    /// [minimum, maximum].
    [[nodiscard]] double quantile(double fraction) const noexcept {
        const auto wanted = std::int64_t(std::ceil(fraction * double(count_)));
        std::int64_t seen = 0;
        for (int i = 0; i < bins; ++i) {
            seen += counts_[std::size_t(i)];
            if (seen >= wanted && seen > 0)
                return std::clamp(middle(i), double(minimum()), double(maximum()));
        }
        return double(maximum());
    }
    [[nodiscard]] std::int64_t in_bin(int bin) const noexcept { return counts_[std::size_t(bin)]; }
    /// Returns the lower end of a bin in picoseconds.
    [[nodiscard]] static double edge(int bin) noexcept {
        if (bin == 0) return 0.0;
        const int octave = (bin - 1) / steps;
        return std::ldexp(1.0 + double((bin - 1) % steps) / steps, octave);
    }

private:
    static constexpr int sum_bits = 24;

    [[nodiscard]] static double middle(int bin) noexcept {
        return bin == 0 ? 0.0 : 0.5 * (edge(bin) + edge(bin + 1));
    }
    [[nodiscard]] static int bin_of(Picoseconds value) noexcept {
        if (value <= 0) return 0;
        const int octave = int(std::bit_width(std::uint64_t(value))) - 1;
        const std::uint64_t rest = std::uint64_t(value) - (std::uint64_t{1} << octave);
        const int step = octave >= 4 ? int(rest >> (octave - 4)) : int(rest << (4 - octave));
        return std::min(1 + octave * steps + step, bins - 1);
    }

    std::array<std::int64_t, bins> counts_{};
    std::int64_t count_ = 0;
    // The sum in two integers: exact, so that the order of additions does not matter.
    std::int64_t sum_high_ = 0;
    std::int64_t sum_low_ = 0;
    Picoseconds minimum_ = std::numeric_limits<Picoseconds>::max();
    Picoseconds maximum_ = 0;
};

}  // namespace tradewind::sim

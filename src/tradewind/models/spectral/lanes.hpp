/// Lanes: four independent numbers in a vector, the unit of the arithmetic of all transforms.
///
/// Fields and levels are adjacent in memory ("lanes"), so that every operation on one value becomes
/// one on four. No number is combined with that of another lane. The result of a lane therefore
/// does not depend on its neighbours, nor on the distribution of lanes to ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tradewind/base/large_memory.hpp"

// Kernels are compiled for several generations of processors, and the best one is selected at run
// time. Without contraction of multiply and add all of them give the same bits. Sanitizers do not
// support the selection.
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define TRADEWIND_CLONES \
    __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define TRADEWIND_CLONES
#endif
// Functions that a kernel calls must be inlined, else they are compiled for the oldest processor
// only.
#define TRADEWIND_INLINE __attribute__((always_inline)) inline

namespace tradewind::spectral {

inline constexpr std::int64_t lane_width = 4;
using Lanes = double __attribute__((vector_size(lane_width * sizeof(double))));

/// Returns how many Lanes hold `lanes` numbers; the rest of the last one is padding.
[[nodiscard]] constexpr std::int64_t blocks_of(std::int64_t lanes) noexcept {
    return (lanes + lane_width - 1) / lane_width;
}

/// Returns the numbers of a vector type, which may be read and written one by one.
[[nodiscard]] inline double* numbers(Lanes* lanes) noexcept {
    return reinterpret_cast<double*>(lanes);
}
[[nodiscard]] inline const double* numbers(const Lanes* lanes) noexcept {
    return reinterpret_cast<const double*>(lanes);
}

/// An array of Lanes, zero at first. The alignment of a vector type depends on the target
/// processor; this alignment is right for all.
class LaneVector {
public:
    LaneVector() = default;
    explicit LaneVector(std::int64_t count) : cells_((std::size_t(count) + 1) / 2), count_(count) {}

    [[nodiscard]] std::int64_t size() const noexcept { return count_; }
    [[nodiscard]] Lanes* data() noexcept { return reinterpret_cast<Lanes*>(cells_.data()); }
    [[nodiscard]] const Lanes* data() const noexcept {
        return reinterpret_cast<const Lanes*>(cells_.data());
    }

private:
    struct alignas(64) Cell {
        double values[2 * lane_width] = {};
    };
    std::vector<Cell, LargeAllocator<Cell>> cells_;
    std::int64_t count_ = 0;
};

}  // namespace tradewind::spectral

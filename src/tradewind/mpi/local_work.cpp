/// Copies block by block, as packing does, and adds doubles.
#include "tradewind/mpi/local_work.hpp"

#include <algorithm>
#include <cstring>

namespace tradewind::mpi {

namespace {

/// Adds doubles, which memory holds as bytes.
void add(const std::byte* from, std::byte* to, Bytes bytes) {
    constexpr Bytes step = sizeof(double);
    for (Bytes at = 0; at + step <= bytes; at += step) {
        double other = 0.0;
        double sum = 0.0;
        std::memcpy(&other, from + at, sizeof other);
        std::memcpy(&sum, to + at, sizeof sum);
        sum += other;
        std::memcpy(to + at, &sum, sizeof sum);
    }
}

}  // namespace

void ScratchWork::run(const LocalWork& work) {
    const Bytes longest = std::max(work.copied, work.summed);
    if (longest == 0) return;
    const std::byte* const from = from_.at_least(longest);
    std::byte* const to = to_.at_least(longest);
    const std::int64_t blocks = std::max<std::int64_t>(work.blocks, 1);
    const Bytes block = (work.copied + blocks - 1) / blocks;
    // Backwards, so that no compiler joins the blocks.
    for (Bytes end = work.copied; end > 0; end -= std::min(block, end)) {
        const Bytes size = std::min(block, end);
        std::memcpy(to + end - size, from + end - size, std::size_t(size));
    }
    add(from, to, work.summed);
}

}  // namespace tradewind::mpi

/// BlockArena: an allocator of blocks within one piece of memory, by offsets.
#pragma once

#include <map>

#include "tradewind/base/units.hpp"

namespace tradewind::mpi {

/// A first-fit allocator, for the few windows of a process.
class BlockArena {
public:
    static constexpr Bytes none = -1;

    BlockArena() = default;
    explicit BlockArena(Bytes size) noexcept : size_(size) {}

    /// Allocates a block and returns its offset, a multiple of 64; `none` if there is no gap of
    /// that size.
    [[nodiscard]] Bytes allocate(Bytes size) {
        const Bytes rounded = (size + 63) / 64 * 64;
        Bytes start = 0;
        for (const auto& [offset, length] : blocks_) {
            if (offset - start >= rounded) break;
            start = offset + length;
        }
        if (rounded > size_ - start) return none;
        blocks_[start] = rounded;
        return start;
    }
    void release(Bytes offset) { blocks_.erase(offset); }

private:
    Bytes size_ = 0;
    /// The offsets and lengths of the blocks in use.
    std::map<Bytes, Bytes> blocks_;
};

}  // namespace tradewind::mpi

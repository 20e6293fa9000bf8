/// RankBlocks: one block for each rank in a buffer, in the order of the ranks and without gaps.
#pragma once

#include <span>
#include <string_view>

#include "tradewind/base/errors.hpp"
#include "tradewind/comm/comm.hpp"

namespace tradewind {

/// The sizes of the blocks, which all ranks know.
class RankBlocks {
public:
    /// Constructs blocks of equal size, which need no memory.
    constexpr RankBlocks(Bytes size = 0) noexcept : size_(size) {}
    /// Constructs blocks of any sizes: block i reaches from offsets[i], which is 0 for the first,
    /// to offsets[i + 1]. The offsets, one more than ranks, outlive the object and its copies.
    explicit RankBlocks(std::span<const Bytes> offsets) noexcept : offsets_(offsets) {}

    /// Returns where the block of a rank begins; that of rank p is the end of all blocks.
    [[nodiscard]] Bytes offset(Rank rank) const noexcept {
        return offsets_.empty() ? rank * size_ : offsets_[std::size_t(rank)];
    }
    /// Returns the bytes of blocks first, ..., first + count - 1.
    [[nodiscard]] Bytes size(Rank first, Rank count = 1) const noexcept {
        return offset(first + count) - offset(first);
    }
    /// Returns these blocks of `all`, a buffer that holds the blocks of all ranks.
    template <class Byte>
    [[nodiscard]] BasicBuffer<Byte> part(const BasicBuffer<Byte>& all, Rank first,
                                         Rank count = 1) const noexcept {
        return all.part(offset(first), size(first, count));
    }
    /// Throws ConfigError unless each rank of the communicator has a block.
    void require_ranks(const Comm& comm, std::string_view algorithm) const {
        const auto given = Rank(offsets_.size());
        if (given == 0 || given == comm.size() + 1) return;
        throw ConfigError(text(algorithm, ": ", given, " offsets of blocks were given; ",
                               comm.size(), " ranks have ", comm.size() + 1));
    }
    /// Throws ConfigError unless `own` bytes are the size of this rank's block.
    void require_own(const Comm& comm, Bytes own, std::string_view algorithm) const {
        if (own == size(comm.rank())) return;
        throw ConfigError(text(algorithm, ": the block of rank ", comm.rank(), " has ",
                               size(comm.rank()), " bytes, its buffer has ", own));
    }
    /// Throws ConfigError unless `all` bytes are the size of all blocks together.
    void require_all(const Comm& comm, Bytes all, std::string_view algorithm) const {
        if (all == offset(comm.size())) return;
        throw ConfigError(text(algorithm, ": ", comm.size(), " blocks of ", offset(comm.size()),
                               " bytes together do not make ", all, " bytes"));
    }

private:
    Bytes size_ = 0;
    std::span<const Bytes> offsets_;
};

/// The blocks of a list that begins with that of rank `first` and ends with that of the rank before
/// it. The list counts them from 0.
class RotatedBlocks {
public:
    RotatedBlocks(const RankBlocks& blocks, Rank first, Rank ranks) noexcept
        : blocks_(blocks), first_(first), ranks_(ranks) {}
    /// Returns where block `index` begins; block p is the end of the list.
    [[nodiscard]] Bytes offset(Rank index) const noexcept {
        const Rank rank = first_ + index;
        if (rank <= ranks_) return blocks_.size(first_, index);
        return blocks_.size(first_, ranks_ - first_) + blocks_.offset(rank - ranks_);
    }
    /// Returns the bytes of blocks first, ..., first + count - 1 of the list.
    [[nodiscard]] Bytes size(Rank first, Rank count = 1) const noexcept {
        return offset(first + count) - offset(first);
    }
    /// Returns these blocks of a buffer that holds the list.
    template <class Byte>
    [[nodiscard]] BasicBuffer<Byte> part(const BasicBuffer<Byte>& all, Rank first,
                                         Rank count = 1) const noexcept {
        return all.part(offset(first), size(first, count));
    }

private:
    RankBlocks blocks_;
    Rank first_;
    Rank ranks_;
};

}  // namespace tradewind

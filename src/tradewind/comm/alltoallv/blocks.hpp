/// Blocks: the sizes of the blocks that each rank sends to each other rank, and their positions in
/// the buffers.
#pragma once

#include <span>

#include "tradewind/comm/comm.hpp"

namespace tradewind {

/// The position of a block in its buffer.
struct BlockRange {
    Bytes offset;
    Bytes size;
};

/// The block sizes and offsets of one rank of an alltoallv, by arithmetic if possible, so that a
/// million ranks hold no arrays.
class Blocks {
public:
    static constexpr Bytes unknown = -1;

    virtual ~Blocks() = default;
    [[nodiscard]] virtual Bytes send_size(Rank to) const = 0;
    [[nodiscard]] virtual Bytes send_offset(Rank to) const = 0;
    [[nodiscard]] virtual Bytes receive_size(Rank from) const = 0;
    [[nodiscard]] virtual Bytes receive_offset(Rank from) const = 0;
    /// Returns offset and size of the block to `to` in one call; an empty block may have any
    /// offset.
    [[nodiscard]] virtual BlockRange sent(Rank to) const {
        return {send_offset(to), send_size(to)};
    }
    /// Returns offset and size of the block from `from` in one call; an empty block may have any
    /// offset.
    [[nodiscard]] virtual BlockRange received(Rank from) const {
        return {receive_offset(from), receive_size(from)};
    }
    /// Returns the size of the block that any rank sends to any other one; `unknown`, for all pairs
    /// or for none, if only the two ends know it.
    [[nodiscard]] virtual Bytes between(Rank /*from*/, Rank /*to*/) const { return unknown; }
    /// Returns the size of every block if all are equal, else `unknown`; saves a call for each
    /// pair.
    [[nodiscard]] virtual Bytes everywhere() const { return unknown; }
};

/// Sizes and offsets in bytes from arrays with one entry per rank, as in MPI_Alltoallv.
class ArrayBlocks final : public Blocks {
public:
    using Sizes = std::span<const Bytes>;
    ArrayBlocks(Sizes send_sizes, Sizes send_offsets, Sizes receive_sizes,
                Sizes receive_offsets) noexcept
        : send_sizes_(send_sizes),
          send_offsets_(send_offsets),
          receive_sizes_(receive_sizes),
          receive_offsets_(receive_offsets) {}
    [[nodiscard]] Bytes send_size(Rank to) const override { return send_sizes_[std::size_t(to)]; }
    [[nodiscard]] Bytes send_offset(Rank to) const override {
        return send_offsets_[std::size_t(to)];
    }
    [[nodiscard]] Bytes receive_size(Rank from) const override {
        return receive_sizes_[std::size_t(from)];
    }
    [[nodiscard]] Bytes receive_offset(Rank from) const override {
        return receive_offsets_[std::size_t(from)];
    }
    [[nodiscard]] BlockRange sent(Rank to) const override {
        return {send_offset(to), send_size(to)};
    }
    [[nodiscard]] BlockRange received(Rank from) const override {
        return {receive_offset(from), receive_size(from)};
    }

private:
    Sizes send_sizes_;
    Sizes send_offsets_;
    Sizes receive_sizes_;
    Sizes receive_offsets_;
};

/// Blocks that all have the same size.
class UniformBlocks final : public Blocks {
public:
    explicit UniformBlocks(Bytes size) noexcept : size_(size) {}
    [[nodiscard]] Bytes send_size(Rank) const override { return size_; }
    [[nodiscard]] Bytes send_offset(Rank to) const override { return to * size_; }
    [[nodiscard]] Bytes receive_size(Rank) const override { return size_; }
    [[nodiscard]] Bytes receive_offset(Rank from) const override { return from * size_; }
    [[nodiscard]] BlockRange sent(Rank to) const override { return {to * size_, size_}; }
    [[nodiscard]] BlockRange received(Rank from) const override { return {from * size_, size_}; }
    [[nodiscard]] Bytes between(Rank, Rank) const override { return size_; }
    [[nodiscard]] Bytes everywhere() const override { return size_; }

private:
    Bytes size_;
};

}  // namespace tradewind

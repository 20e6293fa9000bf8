/// Pieces of an alltoallv: starts one block's send or receive; empty blocks travel on neither side.
#pragma once

#include "tradewind/comm/alltoallv/alltoallv.hpp"
#include "tradewind/comm/catalogue.hpp"
#include "tradewind/comm/local_work.hpp"

namespace tradewind {

/// Offsets are not asked for where there are no data.
[[nodiscard]] inline ConstBuffer block_to(const Alltoallv& data, Rank to) {
    if (data.send.is_null()) return ConstBuffer(data.blocks->send_size(to));
    const Piece piece = data.blocks->sent(to);
    return data.send.part(piece.offset, piece.size);
}
[[nodiscard]] inline Buffer block_from(const Alltoallv& data, Rank from) {
    if (data.receive.is_null()) return Buffer(data.blocks->receive_size(from));
    const Piece piece = data.blocks->received(from);
    return data.receive.part(piece.offset, piece.size);
}

/// Null if the block is empty.
[[nodiscard]] inline Request send_block(Comm& comm, const Alltoallv& data, Rank to) {
    const ConstBuffer block = block_to(data, to);
    return block.size() > 0 ? comm.isend(to, block, tags::alltoallv) : Request{};
}
[[nodiscard]] inline Request receive_block(Comm& comm, const Alltoallv& data, Rank from) {
    const Buffer block = block_from(data, from);
    return block.size() > 0 ? comm.irecv(from, block, tags::alltoallv) : Request{};
}

/// The block that does not travel.
inline void copy_own_block(Comm& comm, const Alltoallv& data) {
    const Rank rank = comm.rank();
    const ConstBuffer out = block_to(data, rank);
    const Buffer in = block_from(data, rank);
    if (out.size() != in.size()) {
        throw ConfigError(text("alltoallv: rank ", rank, " sends ", out.size(),
                               " bytes to itself but receives ", in.size()));
    }
    copy(comm, out, in);
}

/// The ranks `distance` (below `size`) after and before `rank`, round the ring.
[[nodiscard]] inline Rank after(Rank rank, Rank distance, Rank size) noexcept {
    const Rank sum = rank + distance;
    return sum < size ? sum : sum - size;
}
[[nodiscard]] inline Rank before(Rank rank, Rank distance, Rank size) noexcept {
    return rank >= distance ? rank - distance : rank - distance + size;
}

}  // namespace tradewind

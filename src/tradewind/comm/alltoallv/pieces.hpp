/// Parts shared by the alltoallv algorithms: sends and receives of single blocks; neither side
/// posts an empty block.
#pragma once

#include "tradewind/comm/alltoallv/alltoallv.hpp"
#include "tradewind/comm/catalogue.hpp"
#include "tradewind/comm/local_work.hpp"

namespace tradewind {

/// Returns the block to send to rank `to`; if there are no data its offset is not computed.
[[nodiscard]] inline ConstBuffer block_to(const Alltoallv& data, Rank to) {
    if (data.send.is_null()) return ConstBuffer(data.blocks->send_size(to));
    const BlockRange range = data.blocks->sent(to);
    return data.send.part(range.offset, range.size);
}
[[nodiscard]] inline Buffer block_from(const Alltoallv& data, Rank from) {
    if (data.receive.is_null()) return Buffer(data.blocks->receive_size(from));
    const BlockRange range = data.blocks->received(from);
    return data.receive.part(range.offset, range.size);
}

/// Starts the send of the block to rank `to`; returns a null request if the block is empty.
[[nodiscard]] inline Request send_block(Comm& comm, const Alltoallv& data, Rank to) {
    const ConstBuffer block = block_to(data, to);
    return block.size() > 0 ? comm.isend(to, block, tags::alltoallv) : Request{};
}
/// Starts the receive of the block from rank `from`; returns a null request if the block is empty.
[[nodiscard]] inline Request receive_block(Comm& comm, const Alltoallv& data, Rank from) {
    const Buffer block = block_from(data, from);
    return block.size() > 0 ? comm.irecv(from, block, tags::alltoallv) : Request{};
}

/// Copies the block that the rank sends to itself.
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

/// Returns the rank `distance` (below `size`) after `rank` on the ring.
[[nodiscard]] inline Rank after(Rank rank, Rank distance, Rank size) noexcept {
    const Rank sum = rank + distance;
    return sum < size ? sum : sum - size;
}
/// Returns the rank `distance` (below `size`) before `rank` on the ring.
[[nodiscard]] inline Rank before(Rank rank, Rank distance, Rank size) noexcept {
    return rank >= distance ? rank - distance : rank - distance + size;
}

}  // namespace tradewind

/// Pieces of an alltoallv: starts one block's send or receive; empty blocks travel on neither side.
#pragma once

#include "tradewind/comm/alltoallv/alltoallv.hpp"
#include "tradewind/comm/catalogue.hpp"

namespace tradewind {

/// Null if the block is empty. Offsets are not asked for where there are no data.
[[nodiscard]] inline Request send_block(Comm& comm, const Alltoallv& data, Rank to) {
    const Bytes size = data.blocks->send_size(to);
    if (size == 0) return Request{};
    const Bytes offset = data.send.is_null() ? 0 : data.blocks->send_offset(to);
    return comm.isend(to, data.send.part(offset, size), tags::alltoallv);
}

/// Null if the block is empty.
[[nodiscard]] inline Request receive_block(Comm& comm, const Alltoallv& data, Rank from) {
    const Bytes size = data.blocks->receive_size(from);
    if (size == 0) return Request{};
    const Bytes offset = data.receive.is_null() ? 0 : data.blocks->receive_offset(from);
    return comm.irecv(from, data.receive.part(offset, size), tags::alltoallv);
}

/// The block that does not travel.
inline void copy_own_block(const Alltoallv& data, Rank rank) {
    const Bytes size = data.blocks->send_size(rank);
    if (size != data.blocks->receive_size(rank)) {
        throw ConfigError(text("alltoallv: rank ", rank, " sends ", size,
                               " bytes to itself but receives ", data.blocks->receive_size(rank)));
    }
    if (data.send.is_null() || data.receive.is_null()) return;
    copy(data.send.part(data.blocks->send_offset(rank), size),
         data.receive.part(data.blocks->receive_offset(rank), size));
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

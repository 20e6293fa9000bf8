/// Parts shared by the algorithms of the neighbourhood exchange: the messages of one rank, and
/// those to itself.
#pragma once

#include "tradewind/comm/catalogue.hpp"
#include "tradewind/comm/neighbor/neighbor.hpp"

namespace tradewind {

[[nodiscard]] inline ConstBuffer message_to(const NeighborExchange& data, const Neighbor& to) {
    return data.send.part(to.offset, to.size);
}
[[nodiscard]] inline Buffer message_from(const NeighborExchange& data, const Neighbor& from) {
    return data.receive.part(from.offset, from.size);
}
/// Reports whether the edge has a message between two different ranks.
[[nodiscard]] inline bool travels(const Neighbor& neighbor, Rank rank) noexcept {
    return neighbor.size > 0 && neighbor.rank != rank;
}

/// Throws a ConfigError that names the entry if a rank is not one of `comm` or a message exceeds
/// the buffers.
void check_neighbors(const Comm& comm, const NeighborExchange& data);

/// Returns the connection of `data`; throws ConfigError if there is none.
[[nodiscard]] NeighborConnection& connection_of(const Comm& comm, const NeighborExchange& data,
                                                std::string_view algorithm);

/// Copies the messages of the rank to itself: the first such source gets the first message.
void copy_own_messages(Comm& comm, const NeighborExchange& data);

}  // namespace tradewind

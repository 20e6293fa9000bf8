/// Pieces of a neighbourhood exchange: the messages of one rank, and those that do not travel.
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
/// Whether there is a message between two different ranks.
[[nodiscard]] inline bool travels(const Neighbor& neighbor, Rank rank) noexcept {
    return neighbor.size > 0 && neighbor.rank != rank;
}

/// Throws ConfigError, naming the entry, if a rank is not one of `comm` or a message reaches beyond
/// the buffers.
void check_neighbors(const Comm& comm, const NeighborExchange& data);

/// Copies the messages of the rank to itself: its first source of that kind gets the first one.
void copy_own_messages(Comm& comm, const NeighborExchange& data);

}  // namespace tradewind

/// MeshLists: the points that a rank sends and receives, in the order of its messages.
#pragma once

#include "tradewind/comm/mesh/mesh_exchange.hpp"

namespace tradewind {

/// A range of records that belongs to one partner, perhaps the rank itself.
struct MeshPartner {
    Rank rank = 0;
    std::int64_t first = 0;
    std::int64_t count = 0;
};

/// A contribution: record `record` of the receive buffer is added to point `target`.
struct MeshContribution {
    std::int32_t target = 0;
    std::int32_t record = 0;
};

/// The lists of one rank. A message holds the shares of two ranks by receiving item and share, so
/// that both sides agree on its order. Records of the rank itself come last on both sides.
struct MeshLists {
    /// Makes the lists; those of points stay empty unless `with_points`. Throws ConfigError if a
    /// share has lists of different length, a point that the item does not have, or an owner that
    /// is not a rank.
    MeshLists(const Comm& comm, const MeshPart& part, bool with_points);

    std::vector<MeshPartner> destinations;
    std::vector<MeshPartner> sources;
    /// The records that the rank exchanges with itself.
    MeshPartner own_sends;
    MeshPartner own_receives;
    std::vector<std::int32_t> send_points;
    std::vector<std::int32_t> receive_points;
    /// All contributions by target and share, whatever rank they come from.
    std::vector<MeshContribution> ordered;
};

}  // namespace tradewind

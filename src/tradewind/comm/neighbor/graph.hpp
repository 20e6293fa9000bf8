/// Graphs of ranks: the neighbourhood of each rank, all messages of one size.
#pragma once

#include <functional>

#include "tradewind/comm/neighbor/neighbor.hpp"

namespace tradewind {

/// The neighbourhood of any rank.
using NeighborGraph = std::function<Neighborhood(Rank rank)>;

/// Ranks as columns x rows, rank = row * columns + column, joined at the ends: each sends to the 4
/// ranks beside it, or with `corners` to the 8 around it. A rank that is a neighbour twice counts
/// once, the rank itself not at all.
[[nodiscard]] NeighborGraph grid_graph(Rank columns, Rank rows, bool corners, Bytes bytes);

struct Edge {
    Rank from = 0;
    Rank to = 0;
};
/// Lists of a rank are in the order of the edges.
[[nodiscard]] NeighborGraph edge_graph(std::vector<Edge> edges, Bytes bytes);

/// Bytes that the messages of a list occupy.
[[nodiscard]] Bytes extent(const std::vector<Neighbor>& list) noexcept;

}  // namespace tradewind

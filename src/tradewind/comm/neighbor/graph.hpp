/// Graphs of ranks: the neighbourhood of each rank, all messages of one size.
#pragma once

#include <functional>

#include "tradewind/comm/neighbor/neighbor.hpp"

namespace tradewind {

/// A function that returns the neighbourhood of any rank.
using NeighborGraph = std::function<Neighborhood(Rank rank)>;

/// Returns the graph of a periodic grid of columns x rows ranks, rank = row * columns + column:
/// each rank sends to its 4 direct neighbours, or with `corners` to all 8. A rank that is a
/// neighbour twice counts once, the rank itself not at all.
[[nodiscard]] NeighborGraph grid_graph(Rank columns, Rank rows, bool corners, Bytes bytes);

struct Edge {
    Rank from = 0;
    Rank to = 0;
};
/// Returns the graph of a list of edges; the lists of a rank are in the order of the edges.
[[nodiscard]] NeighborGraph edge_graph(std::vector<Edge> edges, Bytes bytes);

/// Returns the bytes of the buffer that the messages of a list need.
[[nodiscard]] Bytes extent(const std::vector<Neighbor>& list) noexcept;

}  // namespace tradewind

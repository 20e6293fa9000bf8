/// Neighbourhoods in a grid of ranks, and neighbourhoods from a list of edges.
#include "tradewind/comm/neighbor/graph.hpp"

#include <algorithm>

namespace tradewind {

namespace {

void add(std::vector<Neighbor>& list, Rank rank, Bytes bytes) {
    list.push_back({rank, bytes, Bytes(list.size()) * bytes});
}

Neighborhood grid_neighbors(Rank rank, Rank columns, Rank rows, bool corners, Bytes bytes) {
    const Rank column = rank % columns;
    const Rank row = rank / columns;
    Neighborhood result;
    for (Rank dy = -1; dy <= 1; ++dy) {
        for (Rank dx = -1; dx <= 1; ++dx) {
            if (dx != 0 && dy != 0 && !corners) continue;
            const Rank other =
                (row + dy + rows) % rows * columns + (column + dx + columns) % columns;
            const auto known = std::ranges::find(result.sources, other, &Neighbor::rank);
            if (other == rank || known != result.sources.end()) continue;
            add(result.sources, other, bytes);
            add(result.destinations, other, bytes);
        }
    }
    return result;
}

}  // namespace

NeighborGraph grid_graph(Rank columns, Rank rows, bool corners, Bytes bytes) {
    return [=](Rank rank) { return grid_neighbors(rank, columns, rows, corners, bytes); };
}

NeighborGraph edge_graph(std::vector<Edge> edges, Bytes bytes) {
    return [edges = std::move(edges), bytes](Rank rank) {
        Neighborhood result;
        for (const Edge& edge : edges) {
            if (edge.to == rank) add(result.sources, edge.from, bytes);
            if (edge.from == rank) add(result.destinations, edge.to, bytes);
        }
        return result;
    };
}

Bytes extent(const std::vector<Neighbor>& list) noexcept {
    Bytes end = 0;
    for (const Neighbor& one : list) end = std::max(end, one.offset + one.size);
    return end;
}

}  // namespace tradewind

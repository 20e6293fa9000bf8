#include "tradewind/models/fvwam/mesh/rank_cells.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "tradewind/base/interrupts.hpp"

namespace tradewind::fvwam {

namespace {

/// Calls visit(neighbor) for each neighbour of a cell of the mesh.
template <class Visit>
void for_neighbors(const CellGraph& graph, std::int64_t cell, const Visit& visit) {
    for (std::int64_t s = graph.first[std::size_t(cell)]; s < graph.first[std::size_t(cell) + 1];
         ++s)
        if (graph.neighbors[std::size_t(s)] != no_cell) visit(graph.neighbors[std::size_t(s)]);
}

/// Returns the cells within `rings` of `cell`, itself among them.
[[nodiscard]] std::vector<std::int32_t> surroundings(const CellGraph& graph, std::int32_t cell,
                                                     int rings) {
    std::vector<std::int32_t> found{cell};
    std::size_t begin = 0;
    for (int ring = 0; ring < rings; ++ring) {
        const std::size_t end = found.size();
        for (; begin < end; ++begin) {
            for_neighbors(graph, found[begin], [&](std::int32_t neighbor) {
                if (std::ranges::find(found, neighbor) == found.end()) found.push_back(neighbor);
            });
        }
    }
    return found;
}

/// A halo under construction.
class Builder {
public:
    Builder(const CellGraph& graph, const ItemPartition& partition, Rank rank, int rings)
        : graph_(graph), partition_(partition), rank_(rank) {
        const std::int64_t own = partition.size(rank);
        cells_.own = own;
        for (std::int64_t n = 0; n < own; ++n)
            cells_.cells.push_back(std::int32_t(partition.item(rank, n)));
        for (std::int64_t n = 0; n < own; ++n) add_surroundings(std::int32_t(n), rings);
        for (const auto& [owner, halo] : halo_) add_partner(owner, halo);
        set_graph();
    }

    [[nodiscard]] RankCells take() { return std::move(cells_); }

private:
    void add_surroundings(std::int32_t own, int rings) {
        check_interrupts(64);
        std::set<Rank> needed_by;
        const std::int32_t cell = cells_.cells[std::size_t(own)];
        for (const std::int32_t near : surroundings(graph_, cell, rings)) {
            const Rank owner = partition_.owner(near);
            if (owner == rank_) continue;
            needed_by.insert(owner);
            halo_[owner].insert(near);
        }
        for (const Rank owner : needed_by) sends_[owner].push_back(own);
        (needed_by.empty() ? cells_.interior : cells_.boundary).push_back(own);
    }
    void add_partner(Rank owner, const std::set<std::int32_t>& halo) {
        CellPartner partner{owner, sends_[owner], {}};
        for (const std::int32_t cell : halo) {
            partner.receives.push_back(std::int32_t(cells_.cells.size()));
            cells_.cells.push_back(cell);
        }
        cells_.partners.push_back(std::move(partner));
    }
    void set_graph() {
        std::unordered_map<std::int32_t, std::int32_t> local;
        local.reserve(cells_.cells.size());
        for (std::size_t n = 0; n < cells_.cells.size(); ++n)
            local.emplace(cells_.cells[n], std::int32_t(n));
        cells_.graph.first.push_back(0);
        for (const std::int32_t cell : cells_.cells) {
            check_interrupts(32);
            for (std::int64_t s = graph_.first[std::size_t(cell)];
                 s < graph_.first[std::size_t(cell) + 1]; ++s) {
                const auto found = local.find(graph_.neighbors[std::size_t(s)]);
                cells_.graph.neighbors.push_back(found == local.end() ? no_cell : found->second);
            }
            cells_.graph.first.push_back(cells_.graph.sides());
        }
    }

    const CellGraph& graph_;
    const ItemPartition& partition_;
    Rank rank_;
    RankCells cells_;
    std::map<Rank, std::set<std::int32_t>> halo_;
    std::map<Rank, std::vector<std::int32_t>> sends_;
};

}  // namespace

RankCells cells_of_rank(const CellGraph& graph, const ItemPartition& partition, Rank rank,
                        int rings) {
    return Builder(graph, partition, rank, rings).take();
}

MeshPart part_of(const RankCells& cells, Rank rank) {
    MeshPart part;
    // The rank as a whole is the one item of its part, and its cells are the points.
    part.items = {rank};
    part.points_per_item = std::int32_t(cells.own);
    part.receiving_points_per_item = std::int32_t(cells.cells.size());
    part.shares_are_even = false;
    part.owner = [](std::int64_t item) { return Rank(item); };
    part.shares = [&cells](std::int64_t /*item*/) {
        std::vector<ItemShare> shares;
        for (const CellPartner& partner : cells.partners)
            shares.push_back({partner.rank, 0, partner.sends, partner.receives});
        return shares;
    };
    return part;
}

}  // namespace tradewind::fvwam

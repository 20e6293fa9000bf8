/// RankCells: the cells of one rank, the halo of others' cells around them, and who sends which.
///
///     own cells, boundary ones among them       halo: ring 1, and ring 2 if the scheme needs it
///     0 ... own-1                               own ... own+halo-1
///
/// The numbers are those of the rank. Halo cells are sorted by owner, then by their number in the
/// mesh, so that the messages of each neighbour are contiguous.
/// Source: pang2025, section 3.1, figure 4.
#pragma once

#include <vector>

#include "tradewind/comm/mesh/mesh_exchange.hpp"
#include "tradewind/models/fvwam/mesh/voronoi_mesh.hpp"
#include "tradewind/models/item_partition.hpp"

namespace tradewind::fvwam {

/// A rank with which cells are exchanged: own cells that it needs, and halo cells that it owns,
/// both ascending in the mesh.
struct CellPartner {
    Rank rank = 0;
    std::vector<std::int32_t> sends;
    std::vector<std::int32_t> receives;
};

struct RankCells {
    /// The cells of the mesh, own ones and those of the halo.
    std::vector<std::int32_t> cells;
    std::int64_t own = 0;
    /// The rank's number of the neighbour beyond each side of each of the cells, or no_cell, also
    /// for cells outside the halo; `first` as in CellGraph.
    CellGraph graph;
    /// The own cells all of whose stencil is own, and the others.
    std::vector<std::int32_t> interior;
    std::vector<std::int32_t> boundary;
    std::vector<CellPartner> partners;

    [[nodiscard]] std::int64_t halo() const noexcept { return std::int64_t(cells.size()) - own; }
};

/// Returns the cells of a rank with a halo of `rings` rings.
[[nodiscard]] RankCells cells_of_rank(const CellGraph& graph, const ItemPartition& partition,
                                      Rank rank, int rings);

/// Returns the exchange of whole cells. `cells` must live as long as the part.
[[nodiscard]] MeshPart part_of(const RankCells& cells, Rank rank);

}  // namespace tradewind::fvwam

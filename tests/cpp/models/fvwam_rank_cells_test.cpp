/// The cells of ranks: halos, and lists of what is sent that fit each other.
#include <algorithm>
#include <numeric>
#include <set>

#include "models/fvwam_meshes.hpp"
#include "testing.hpp"
#include "tradewind/models/fvwam/mesh/cell_order.hpp"
#include "tradewind/models/fvwam/mesh/rank_cells.hpp"

using namespace tradewind;
using namespace tradewind::fvwam;

namespace {

using Cells = std::vector<std::int32_t>;

constexpr PartitionWords words{"test", "cell"};

/// Returns a sphere of which two cells are land.
VoronoiMesh sphere_with_land() {
    support::WrittenNetcdf file = support::mesh_file(support::icosahedron(2));
    file.variables["maskCell"] = {
        {"nCells"}, support::netcdf_int, std::vector<double>(162, 1.0), {}, {}};
    file.variables["maskCell"].values[20] = file.variables["maskCell"].values[77] = 0;
    return mesh_of(file);
}

/// Returns consecutive cells, cells that are dealt like cards, and parts of the curve.
std::vector<ItemPartition> partitions_of(const VoronoiMesh& mesh, Rank ranks) {
    std::vector<Rank> dealt;
    std::vector<Rank> curve(std::size_t(mesh.cells()));
    const Partition parts(mesh.cells(), ranks);
    const Cells order = hilbert_order(mesh.longitude, mesh.latitude);
    for (std::int64_t n = 0; n < mesh.cells(); ++n) {
        dealt.push_back(Rank(n % ranks));
        curve[std::size_t(order[std::size_t(n)])] = parts.owner(n);
    }
    return {ItemPartition(mesh.cells(), ranks), ItemPartition(dealt, ranks, words),
            ItemPartition(curve, ranks, words)};
}

/// Returns the cells whose way to `cell` crosses at most `rings` sides.
std::set<std::int32_t> within(const CellGraph& graph, std::int32_t cell, int rings) {
    std::set<std::int32_t> found{cell};
    for (int ring = 0; ring < rings; ++ring) {
        const std::set<std::int32_t> before = found;
        for (const std::int32_t one : before)
            for (auto s = graph.first[std::size_t(one)]; s < graph.first[std::size_t(one) + 1]; ++s)
                if (graph.neighbors[std::size_t(s)] != no_cell)
                    found.insert(graph.neighbors[std::size_t(s)]);
    }
    return found;
}

/// Returns the cells of the mesh that a list of a rank's cells names.
Cells named(const RankCells& cells, const Cells& list) {
    Cells found;
    for (const std::int32_t one : list) found.push_back(cells.cells[std::size_t(one)]);
    return found;
}

void check_halo(const VoronoiMesh& mesh, const ItemPartition& partition, Rank rank, int rings,
                const RankCells& cells) {
    std::set<std::int32_t> needed;
    Cells interior;
    Cells boundary;
    for (std::int64_t n = 0; n < cells.own; ++n) {
        CHECK_EQ(cells.cells[std::size_t(n)], partition.item(rank, n));
        const auto near = within(mesh.graph, cells.cells[std::size_t(n)], rings);
        const bool is_inner = std::ranges::all_of(
            near, [&](std::int32_t one) { return partition.owner(one) == rank; });
        (is_inner ? interior : boundary).push_back(std::int32_t(n));
        for (const std::int32_t one : near)
            if (partition.owner(one) != rank) needed.insert(one);
    }
    CHECK(cells.interior == interior);
    CHECK(cells.boundary == boundary);
    CHECK_EQ(cells.own, partition.size(rank));
    const Cells halo(cells.cells.begin() + cells.own, cells.cells.end());
    CHECK(std::set(halo.begin(), halo.end()) == needed);
    CHECK_EQ(halo.size(), needed.size());
    // The halo cells of an owner are contiguous, ascending, and in the order of the partners.
    std::int32_t next = std::int32_t(cells.own);
    Rank before = -1;
    for (const CellPartner& partner : cells.partners) {
        CHECK(partner.rank > before && partner.rank != rank);
        before = partner.rank;
        CHECK(std::ranges::is_sorted(named(cells, partner.receives)));
        for (const std::int32_t one : partner.receives) {
            CHECK_EQ(one, next++);
            CHECK_EQ(partition.owner(cells.cells[std::size_t(one)]), partner.rank);
        }
    }
    CHECK_EQ(next, std::int32_t(cells.cells.size()));
}

void check_graph(const VoronoiMesh& mesh, const RankCells& cells) {
    CHECK_EQ(cells.graph.cells(), std::int64_t(cells.cells.size()));
    const std::set<std::int32_t> known(cells.cells.begin(), cells.cells.end());
    for (std::size_t n = 0; n < cells.cells.size(); ++n) {
        const auto cell = std::size_t(cells.cells[n]);
        const std::int64_t count = mesh.graph.first[cell + 1] - mesh.graph.first[cell];
        CHECK_EQ(cells.graph.first[n + 1] - cells.graph.first[n], count);
        for (std::int64_t s = 0; s < count; ++s) {
            const auto here = cells.graph.neighbors[std::size_t(cells.graph.first[n] + s)];
            const auto there = mesh.graph.neighbors[std::size_t(mesh.graph.first[cell] + s)];
            const bool is_known = there != no_cell && known.contains(there);
            CHECK_EQ(here == no_cell ? no_cell : cells.cells[std::size_t(here)],
                     is_known ? there : no_cell);
        }
    }
}

/// Checks that what a sends to b is what b receives from a, in order.
void check_messages(const std::vector<RankCells>& all) {
    for (Rank a = 0; a < Rank(all.size()); ++a) {
        for (const CellPartner& to : all[std::size_t(a)].partners) {
            const RankCells& other = all[std::size_t(to.rank)];
            const auto from = std::ranges::find(other.partners, a, &CellPartner::rank);
            CHECK(from != other.partners.end());
            if (from == other.partners.end()) continue;
            CHECK(named(all[std::size_t(a)], to.sends) == named(other, from->receives));
            CHECK(!to.sends.empty());
        }
    }
}

}  // namespace

TEST_CASE("halos are the cells within the rings, and what is sent is what is received") {
    const VoronoiMesh mesh = sphere_with_land();
    for (const int rings : {1, 2}) {
        for (const Rank ranks : {1, 2, 3, 8, 33}) {
            int number = 0;
            for (const ItemPartition& partition : partitions_of(mesh, ranks)) {
                CAPTURE(rings, ranks, number);
                ++number;
                std::vector<RankCells> all;
                for (Rank rank = 0; rank < ranks; ++rank) {
                    all.push_back(cells_of_rank(mesh.graph, partition, rank, rings));
                    check_halo(mesh, partition, rank, rings, all.back());
                    check_graph(mesh, all.back());
                }
                check_messages(all);
            }
        }
    }
}

TEST_CASE("a rank of each cell has no interior, one rank no halo") {
    const VoronoiMesh mesh = sphere_with_land();
    const ItemPartition each(mesh.cells(), Rank(mesh.cells()));
    for (const Rank rank : {0, 80, 159}) {
        const RankCells cells = cells_of_rank(mesh.graph, each, rank, 1);
        CHECK_EQ(cells.own, 1);
        CHECK(cells.interior.empty());
        CHECK_EQ(cells.halo(), std::int64_t(cells.partners.size()));
        CHECK(cells.halo() >= 4 && cells.halo() <= 6);
    }
    const RankCells whole = cells_of_rank(mesh.graph, ItemPartition(mesh.cells(), 1), 0, 2);
    CHECK_EQ(whole.halo(), 0);
    CHECK(whole.boundary.empty() && whole.partners.empty());
    Cells all(std::size_t(mesh.cells()));
    std::iota(all.begin(), all.end(), 0);
    CHECK(whole.interior == all);
}

TEST_CASE("parts of the curve have shorter messages than cells that are dealt") {
    const VoronoiMesh mesh = mesh_of(support::mesh_file(support::icosahedron(3)));
    const auto halo = [&](const ItemPartition& partition) {
        std::int64_t sum = 0;
        for (Rank rank = 0; rank < 8; ++rank)
            sum += cells_of_rank(mesh.graph, partition, rank, 1).halo();
        return sum;
    };
    const auto partitions = partitions_of(mesh, 8);
    CHECK(2 * halo(partitions[2]) < halo(partitions[1]));
}

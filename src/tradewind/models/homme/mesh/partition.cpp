/// Lists the points of edges and corners.
#include "tradewind/models/homme/mesh/partition.hpp"

#include "tradewind/models/homme/mesh/edges.hpp"

namespace tradewind::homme {

namespace {

[[nodiscard]] std::int32_t point_of_corner(int corner, int np) {
    const int last = np - 1;
    const int i = corner == 5 || corner == 6 ? last : 0;
    const int j = corner >= 6 ? last : 0;
    return std::int32_t(j * np + i);
}

/// Returns the number of a side among the shares of an element, which lack corners of the cube.
[[nodiscard]] std::int32_t share_of(const CubedSphere& mesh, std::int64_t element, int side) {
    std::int32_t share = side;
    for (int before = edge_sides; before < side; ++before)
        if (!mesh.neighbor(element, before)) --share;
    return share;
}

}  // namespace

std::vector<ItemShare> shares_of(const CubedSphere& mesh, std::int64_t element, int np,
                                 Connectivity connectivity, ReceivedAs arrival) {
    std::vector<ItemShare> shares;
    const int last = connectivity == Connectivity::edges ? edge_sides : sides;
    for (int side = 0; side < last; ++side) {
        const auto neighbor = mesh.neighbor(element, side);
        if (!neighbor) continue;
        ItemShare share{
            neighbor->element, share_of(mesh, neighbor->element, neighbor->side), {}, {}};
        if (side >= edge_sides) {
            share.sends = {point_of_corner(side, np)};
            share.receives = arrival == ReceivedAs::traces
                                 ? std::vector{std::int32_t(edge_sides * np + side - edge_sides)}
                                 : share.sends;
            shares.push_back(std::move(share));
            continue;
        }
        const bool backwards = neighbor->reversed && neighbor->element < element;
        for (int n = 0; n < np; ++n) {
            const int k = backwards ? np - 1 - n : n;
            share.sends.push_back(std::int32_t(edge_point(side, k, np)));
            share.receives.push_back(arrival == ReceivedAs::traces ? std::int32_t(side * np + k)
                                                                   : share.sends.back());
        }
        shares.push_back(std::move(share));
    }
    return shares;
}

MeshPart part_of(const CubedSphere& mesh, const ItemPartition& partition, Rank rank, int np,
                 Connectivity connectivity, ReceivedAs arrival) {
    MeshPart part;
    for (std::int64_t n = 0; n < partition.size(rank); ++n)
        part.items.push_back(partition.item(rank, n));
    part.points_per_item = np * np;
    if (arrival == ReceivedAs::traces) part.receiving_points_per_item = traces_of(np);
    part.owner = [partition](std::int64_t item) { return partition.owner(item); };
    part.shares = [&mesh, np, connectivity, arrival](std::int64_t item) {
        return shares_of(mesh, item, np, connectivity, arrival);
    };
    return part;
}

MeshPart with_blocks(MeshPart part, std::int64_t blocks) {
    part.points_per_item *= std::int32_t(blocks);
    part.receiving_points_per_item *= std::int32_t(blocks);
    return part;
}

}  // namespace tradewind::homme

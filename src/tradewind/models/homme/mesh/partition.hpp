/// The elements of one rank and the points that they share with their neighbours.
#pragma once

#include <vector>

#include "tradewind/comm/mesh/mesh_exchange.hpp"
#include "tradewind/models/homme/mesh/cubed_sphere.hpp"
#include "tradewind/models/item_partition.hpp"

namespace tradewind::homme {

/// The points of an element that it exchanges with its neighbours: those of edges and corners, as
/// assembly needs them, or those of edges only, as fluxes need them.
enum class Connectivity : std::uint8_t { edges_and_corners, edges };

/// The points that arrive: the element's own ones, to be added to them, or traces to be kept beside
/// its own: edge * np + k for edges, then one for every corner.
enum class ReceivedAs : std::uint8_t { own_points, traces };

/// The words of messages about the distribution of elements.
inline constexpr PartitionWords partition_words{"homme", "element"};

/// Returns the number of traces of an element. Those of corners stay empty if only edges are
/// exchanged.
[[nodiscard]] constexpr std::int32_t traces_of(int np) noexcept {
    return std::int32_t(edge_sides * np + sides - edge_sides);
}

/// Returns the shares of an element with np x np points, edges first. The points of an edge run in
/// the direction of the element with the smaller number.
[[nodiscard]] std::vector<ItemShare> shares_of(const CubedSphere& mesh, std::int64_t element,
                                               int np, Connectivity connectivity,
                                               ReceivedAs arrival);

/// Returns the part of the mesh that `rank` owns. `mesh` must live as long as the part.
[[nodiscard]] MeshPart part_of(const CubedSphere& mesh, const ItemPartition& partition, Rank rank,
                               int np, Connectivity connectivity, ReceivedAs arrival);

/// Returns the same part for fields that hold all points of an element once per block of levels.
/// The points of the first block stand for those of all.
[[nodiscard]] MeshPart with_blocks(MeshPart part, std::int64_t blocks);

}  // namespace tradewind::homme

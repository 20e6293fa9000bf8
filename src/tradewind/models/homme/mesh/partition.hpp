/// The elements of one rank and the points that they share with their neighbours.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "tradewind/base/partition.hpp"
#include "tradewind/comm/mesh/mesh_exchange.hpp"
#include "tradewind/models/homme/mesh/cubed_sphere.hpp"

namespace tradewind::homme {

/// The points of an element that it exchanges with its neighbours: those of edges and corners, as
/// assembly needs them, or those of edges only, as fluxes need them.
enum class Connectivity : std::uint8_t { edges_and_corners, edges };

/// The points that arrive: the element's own ones, to be added to them, or traces to be kept beside
/// its own: edge * np + k for edges, then one for every corner.
enum class ReceivedAs : std::uint8_t { own_points, traces };

/// The distribution of elements over ranks: consecutive elements of the curve, or those of a list.
class ElementPartition {
public:
    /// Cuts the curve into parts of equal size.
    ElementPartition(std::int64_t elements, Rank ranks) : blocks_(elements, ranks) {}
    /// Takes the rank of each element. Throws ConfigError if one of them is not in 0..ranks-1, or a
    /// rank has no element.
    ElementPartition(const std::vector<Rank>& owners, Rank ranks);

    [[nodiscard]] bool is_listed() const noexcept { return lists_ != nullptr; }
    [[nodiscard]] Rank parts() const noexcept { return blocks_.parts(); }
    [[nodiscard]] std::int64_t size(Rank rank) const noexcept {
        return lists_ ? lists_->first[std::size_t(rank) + 1] - lists_->first[std::size_t(rank)]
                      : blocks_.size(rank);
    }
    /// Returns the n-th element of a rank, in ascending order.
    [[nodiscard]] std::int64_t element(Rank rank, std::int64_t n) const noexcept {
        return lists_ ? lists_->elements[std::size_t(lists_->first[std::size_t(rank)] + n)]
                      : blocks_.start(rank) + n;
    }
    [[nodiscard]] Rank owner(std::int64_t element) const noexcept {
        return lists_ ? lists_->owners[std::size_t(element)] : blocks_.owner(element);
    }

private:
    struct OwnedElements {
        std::vector<std::int32_t> owners;
        /// The elements by rank, and the place of the first one of each rank.
        std::vector<std::int64_t> elements;
        std::vector<std::int64_t> first;
    };

    Partition blocks_;
    std::shared_ptr<const OwnedElements> lists_;
};

/// Reads a partition as METIS writes it, the rank of each element on a line of its own: the text,
/// or the name of a file, which has no line break. Throws ConfigError if there are more or fewer
/// ranks than elements, or one that does not exist.
[[nodiscard]] ElementPartition read_partition(const std::string& given, std::int64_t elements,
                                              Rank ranks);

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
[[nodiscard]] MeshPart part_of(const CubedSphere& mesh, const ElementPartition& partition,
                               Rank rank, int np, Connectivity connectivity, ReceivedAs arrival);

/// Returns the same part for fields that hold all points of an element once per block of levels.
/// The points of the first block stand for those of all.
[[nodiscard]] MeshPart with_blocks(MeshPart part, std::int64_t blocks);

}  // namespace tradewind::homme

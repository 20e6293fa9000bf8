/// Finds the element of every point and sorts the points by element.
#include "tradewind/models/homme/mesh/output_grid.hpp"

#include <cmath>
#include <numbers>

#include "tradewind/base/interrupts.hpp"

namespace tradewind::homme {

OutputGrid::OutputGrid(const CubedSphere& mesh, const CubeGeometry& geometry,
                       std::span<const double> latitudes_deg,
                       std::span<const double> longitudes_deg)
    : longitudes_(std::int64_t(longitudes_deg.size())) {
    constexpr double degrees = 180 / std::numbers::pi;
    for (const double latitude_deg : latitudes_deg) {
        const double latitude = latitude_deg / degrees;
        for (const double longitude_deg : longitudes_deg) {
            check_interrupts(64);
            const double longitude = longitude_deg / degrees;
            locations_.push_back(
                geometry.locate({std::cos(latitude) * std::cos(longitude),
                                 std::cos(latitude) * std::sin(longitude), std::sin(latitude)}));
        }
    }
    starts_.resize(std::size_t(mesh.elements()) + 1);
    for (const auto& location : locations_) ++starts_[std::size_t(location.element) + 1];
    for (std::size_t e = 1; e < starts_.size(); ++e) starts_[e] += starts_[e - 1];
    points_.resize(locations_.size());
    auto next = starts_;
    for (std::size_t point = 0; point < locations_.size(); ++point) {
        auto& place = next[std::size_t(locations_[point].element)];
        points_[std::size_t(place++)] = std::int64_t(point);
    }
}

std::span<const std::int64_t> OutputGrid::points_in(std::int64_t element) const {
    const auto first = std::size_t(starts_[std::size_t(element)]);
    const auto last = std::size_t(starts_[std::size_t(element) + 1]);
    return std::span(points_).subspan(first, last - first);
}

}  // namespace tradewind::homme

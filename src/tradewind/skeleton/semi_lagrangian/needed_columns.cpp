/// Departure points of the points at the four edges.
#include "tradewind/skeleton/semi_lagrangian/needed_columns.hpp"

#include <algorithm>
#include <cmath>

#include "tradewind/skeleton/halo_pieces.hpp"

namespace tradewind::skeleton {

namespace {

/// Columns before and behind the one below a departure point.
constexpr std::int64_t before = 1;
constexpr std::int64_t behind = 2;

/// A list that numbers the strips of either side by their distance.
class StripList {
public:
    explicit StripList(const Strip& own) : strips_{own} {}
    void add(const HaloPiece& piece) {
        const std::int64_t distance = ++found_[std::size_t(piece.side)];
        strips_.push_back(
            {piece.part, piece.first, piece.cells, 2 * distance - (piece.side == 0 ? 1 : 0)});
    }
    [[nodiscard]] std::vector<Strip> take() { return std::move(strips_); }

private:
    std::vector<Strip> strips_;
    std::array<std::int64_t, 2> found_{};
};

[[nodiscard]] double mean(double a, double b, double share) noexcept {
    return a + share * (b - a);
}

[[nodiscard]] double component(Vector2 vector, std::size_t axis) noexcept {
    return axis == 0 ? vector.x : vector.y;
}

}  // namespace

std::vector<Strip> needed_strips(const Partition& cut, Rank me, std::int64_t width) {
    StripList list({me, cut.start(me), cut.size(me), 0});
    visit_incoming(cut, me, width, [&](const HaloPiece& piece) { list.add(piece); });
    return list.take();
}

std::vector<Strip> asked_strips(const Partition& cut, Rank me, std::int64_t width) {
    StripList list({me, cut.start(me), cut.size(me), 0});
    visit_outgoing(cut, me, width, [&](const HaloPiece& piece) { list.add(piece); });
    return list.take();
}

NeededColumns::NeededColumns(const PlaneWind& wind, const Plane& plane, const Box& own,
                             std::int64_t width, std::int64_t levels)
    : wind_(wind), plane_(plane), own_(own), width_(width), levels_(levels) {
    for (const std::size_t axis : {0, 1}) {
        for (auto& side : depth_[axis]) side.assign(std::size_t(own.size[1 - axis] + 2 * width), 0);
    }
    const std::int64_t nz = plane.grid[2];
    const std::int64_t count = std::min(levels, nz);
    for (std::int64_t n = 0; n < count; ++n) {
        const std::int64_t level = count == 1 ? 0 : n * (nz - 1) / (count - 1);
        const double eta = (double(level) + 0.5) / double(nz);
        for (const std::size_t axis : {0, 1})
            for (const std::size_t side : {0, 1})
                follow_edge(
                    {axis, side, eta, own.start[axis] + (side == 0 ? 0 : own.size[axis] - 1)});
    }
}

/// Finds departure points at some points of the edge, and those between them by interpolation.
void NeededColumns::follow_edge(const PartEdge& edge) {
    const std::size_t across = edge.axis;
    const std::size_t along = 1 - across;
    const std::int64_t length = own_.size[along];
    const auto way_at = [&](std::int64_t position) {
        const double moving = double(own_.start[along] + position);
        const auto at = double(edge.at);
        const Vector2 arrival = across == 0 ? Vector2{at, moving} : Vector2{moving, at};
        return displacement(wind_, plane_, arrival, edge.eta);
    };
    const std::int64_t step = smooth_distance(wind_, plane_);
    Vector2 begin = way_at(0);
    for (std::int64_t first = 0; first < length; first += step) {
        const std::int64_t last = std::min(first + step, length - 1);
        const Vector2 end = way_at(last);
        for (std::int64_t n = first; n < std::min(first + step, length); ++n) {
            const double share = last > first ? double(n - first) / double(last - first) : 0.0;
            note(edge, n, {mean(begin.x, end.x, share), mean(begin.y, end.y, share)});
        }
        begin = end;
    }
}

void NeededColumns::note(const PartEdge& edge, std::int64_t along, Vector2 way) {
    const std::size_t across = edge.axis;
    const std::int64_t here = own_.start[1 - across] + along;
    const auto below = [&](std::int64_t at, std::size_t axis) {
        return std::int64_t(std::floor(double(at) - component(way, axis)));
    };
    const std::int64_t found = below(edge.at, across);
    const std::int64_t depth = edge.side == 0 ? edge.at - found + before : found + behind - edge.at;
    if (depth <= 0) return;
    const std::int64_t shift = below(here, 1 - across) - here;
    if (depth > width_ || std::abs(shift) > width_) {
        throw ConfigError(text("semi-Lagrangian halo: air comes from ",
                               std::max(depth, std::abs(shift)), " columns away, but the halo has ",
                               width_, "; the largest wind that it allows for is too small"));
    }
    auto& depths = depth_[across][edge.side];
    const std::int64_t middle = along + shift + width_;
    for (std::int64_t n = std::max<std::int64_t>(middle - before, 0);
         n <= std::min(middle + behind, std::int64_t(depths.size()) - 1); ++n) {
        depths[std::size_t(n)] = std::max(depths[std::size_t(n)], depth);
    }
}

std::int64_t NeededColumns::count(const Strip& x, const Strip& y) const {
    const std::size_t axis = x.slot == 0 ? 1 : 0;
    const Strip& across = axis == 0 ? x : y;
    const Strip& along = axis == 0 ? y : x;
    const bool is_lower = across.slot % 2 == 1;
    const std::int64_t near = is_lower ? own_.start[axis] - across.first - across.cells
                                       : across.first - own_.start[axis] - own_.size[axis];
    const auto& depths = depth_[axis][is_lower ? 0 : 1];
    const std::int64_t first = along.first - own_.start[1 - axis] + width_;
    std::int64_t sum = 0;
    for (std::int64_t n = first; n < first + along.cells; ++n)
        sum += std::clamp<std::int64_t>(depths[std::size_t(n)] - near, 0, across.cells);
    return sum;
}

}  // namespace tradewind::skeleton

/// NeededColumns: the columns of other ranks around the departure points of one rank's grid
/// points.
///
/// A departure point needs the 4 x 4 columns around it (cubic interpolation). Column x0 is the
/// first own one. The columns to the west that its points need include those for the points behind
/// it. This holds because trajectories do not cross, for which steps must be short enough anyway.
/// One number per row and side is therefore enough, the largest depth of all levels:
///
///     row       depth           own
///     7     . h h h h h   5 | o o o o
///     6     . . h h h h   4 | o o o o
///     5     . . . . . .   0 | o o o o       here the air comes from the east on all levels
///
/// Rows beyond the own ones hold the corners. North and south have one depth per own column.
#pragma once

#include <array>
#include <vector>

#include "tradewind/base/partition.hpp"
#include "tradewind/comm/types.hpp"
#include "tradewind/skeleton/semi_lagrangian/wind.hpp"

namespace tradewind::skeleton {

/// Positions of one part along an axis that another part holds or needs, not wrapped.
struct Strip {
    Rank part = 0;
    std::int64_t first = 0;
    std::int64_t cells = 0;
    /// The number on the side of the consumer: 0 = own, 2 d - 1 and 2 d = held by the d-th part
    /// below and above.
    std::int64_t slot = 0;
};

/// Returns the strips that part `me` of `cut` holds or, within `width` of it, needs; the own strip
/// is first.
[[nodiscard]] std::vector<Strip> needed_strips(const Partition& cut, Rank me, std::int64_t width);
/// Returns the strips of part `me` that others, at part `part`, may need; the own strip is first.
[[nodiscard]] std::vector<Strip> asked_strips(const Partition& cut, Rank me, std::int64_t width);

class NeededColumns {
public:
    /// Samples `levels` of the levels, the first and the last among them. Throws ConfigError if air
    /// comes from further than a halo of `width` columns allows for.
    NeededColumns(const PlaneWind& wind, const Plane& plane, const Box& own, std::int64_t width,
                  std::int64_t levels);

    /// Returns how many columns of the rectangle x by y are needed; x and y are not both the own
    /// strip.
    [[nodiscard]] std::int64_t count(const Strip& x, const Strip& y) const;

private:
    /// The own points at one side along an axis, on one level.
    struct PartEdge {
        std::size_t axis = 0;
        std::size_t side = 0;
        double eta = 0.0;
        /// The position along the axis.
        std::int64_t at = 0;
    };
    void follow_edge(const PartEdge& edge);
    void note(const PartEdge& edge, std::int64_t along, Vector2 way);

    const PlaneWind& wind_;
    const Plane& plane_;
    Box own_;
    std::int64_t width_;
    std::int64_t levels_;
    /// Depths, [axis][0: lower side, 1: upper side][position along the side, from `width` before
    /// the own ones].
    std::array<std::array<std::vector<std::int64_t>, 2>, 2> depth_;
};

}  // namespace tradewind::skeleton

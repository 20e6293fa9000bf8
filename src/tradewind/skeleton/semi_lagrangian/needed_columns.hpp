/// NeededColumns: which columns of other ranks lie around the departure points of one rank's grid
/// points.
///
/// A departure point needs the 4 x 4 columns around it (cubic interpolation). What the points in
/// column x0, the first own one, need to the west covers what those behind it need, since air that
/// starts apart stays apart (steps are short enough for that, else no trajectory is right). So one
/// number per row and side tells it all, the largest depth of all levels:
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
    /// For who needs them: 0 = own, 2 d - 1 and 2 d = held by the d-th part below and above.
    std::int64_t slot = 0;
};

/// What part `me` of `cut` has and, within `width` of it, needs; `own` first.
[[nodiscard]] std::vector<Strip> needed_strips(const Partition& cut, Rank me, std::int64_t width);
/// What others, at part `part`, may need of part `me`; its own first.
[[nodiscard]] std::vector<Strip> asked_strips(const Partition& cut, Rank me, std::int64_t width);

class NeededColumns {
public:
    /// Looks at `levels` of the levels, the first and the last among them. Throws ConfigError if
    /// air comes from further than a halo of `width` columns allows for.
    NeededColumns(const Wind& wind, const Plane& plane, const Box& own, std::int64_t width,
                  std::int64_t levels);

    /// How many columns of the rectangle x by y are needed; x and y are not both the own strip.
    [[nodiscard]] std::int64_t count(const Strip& x, const Strip& y) const;

private:
    struct Edge;
    void follow_edge(const Edge& edge);
    void note(const Edge& edge, std::int64_t along, Vector2 way);

    const Wind& wind_;
    const Plane& plane_;
    Box own_;
    std::int64_t width_;
    std::int64_t levels_;
    /// [axis][0: lower side, 1: upper side][position along the side, from `width` before the own
    /// ones]
    std::array<std::array<std::vector<std::int64_t>, 2>, 2> depth_;
};

}  // namespace tradewind::skeleton

/// Pieces of a halo along one axis: the cells that parts of a partition exchange.
#pragma once

#include <algorithm>

#include "tradewind/base/partition.hpp"
#include "tradewind/comm/comm.hpp"

namespace tradewind::skeleton {

/// Cells of one part that go into the halo of another one.
struct HaloPiece {
    Rank part;           // the other one: who sends or receives
    std::int64_t first;  // in the coordinates of the part at hand, not wrapped
    std::int64_t cells;
    Tag side;  // 0: goes into a lower halo, 1: into an upper one
};

[[nodiscard]] constexpr Rank wrapped(Rank part, Rank parts) noexcept {
    return part < 0 ? part + parts : (part >= parts ? part - parts : part);
}

/// The part beyond the ends of an axis that is not periodic.
inline constexpr Rank no_part = -1;

/// Returns the part above or below another one. The first and the last part of a periodic axis are
/// neighbours.
[[nodiscard]] constexpr Rank next_part(Rank part, bool is_above, const Partition& cut,
                                       bool is_periodic) noexcept {
    const Rank next = is_above ? part + 1 : part - 1;
    if (is_periodic) return wrapped(next, cut.parts());
    return next >= 0 && next < cut.parts() ? next : no_part;
}

/// Visits the pieces that part `me` receives: per side the nearest owner first, until the halo is
/// full or the domain ends.
template <class Visit>
void visit_incoming(const Partition& cut, Rank me, std::int64_t width, Visit visit,
                    bool is_periodic = true) {
    for (const Tag side : {0, 1}) {
        Rank part = me;
        for (std::int64_t filled = 0; filled < width;) {
            part = next_part(part, side == 1, cut, is_periodic);
            if (part == no_part) break;
            const std::int64_t cells = std::min(cut.size(part), width - filled);
            const std::int64_t first = side == 0 ? -filled - cells : cut.size(me) + filled;
            visit(HaloPiece{part, cut.start(me) + first, cells, side});
            filled += cut.size(part);
        }
    }
}

/// Visits the pieces that part `me` sends, per side to the nearest part first, until the halos no
/// longer reach it or the domain ends.
template <class Visit>
void visit_outgoing(const Partition& cut, Rank me, std::int64_t width, Visit visit,
                    bool is_periodic = true) {
    for (const Tag side : {0, 1}) {
        Rank part = me;
        for (std::int64_t between = 0; between < width;) {
            part = next_part(part, side == 0, cut, is_periodic);
            if (part == no_part) break;
            const std::int64_t cells = std::min(cut.size(me), width - between);
            const std::int64_t first = side == 0 ? cut.size(me) - cells : 0;
            visit(HaloPiece{part, cut.start(me) + first, cells, side});
            between += cut.size(part);
        }
    }
}

}  // namespace tradewind::skeleton

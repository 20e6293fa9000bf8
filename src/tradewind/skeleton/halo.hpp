/// Halo: the wide halo of a grid-point scheme, in two sweeps that include the corners, or without.
///
/// A rank owns `own`; sweep x fills x, then sweep y fills y, the halo's x columns included:
///
///     y y y y y
///     x  own  x      each sweep is a neighbourhood exchange: all at once, or as `algorithm` says
///     y y y y y
///
/// A halo wider than the neighbour's part also takes points of the neighbour's neighbour, and so
/// on. Every owner sends its points directly, in one message of its own, in the same sweep (width
/// 3, parts of 2):
///
///     owner     1 1 | 2 2 | 3 3 | 4 4
///     rank 3:     h   h h | own |        lower side: one message of 1 point, one of 2
///
/// Without corners, the messages of both axes are under way at the same time, and those of y have
/// nx' columns only.
///
/// The domain is periodic in x and y unless the plan says otherwise: then the halo beyond an end of
/// the domain stays as it is, and nothing is sent for it. A rank that is its own neighbour copies
/// and sends nothing.
/// Each rank receives ceil(width / part) messages per side. The volume is 2 width ny' nz in x and 2
/// width (nx' + 2 width) nz in y, for parts of nx' by ny' points. Source: zheng2018, section 3.2
/// and figure 4b.
#pragma once

#include <array>
#include <span>

#include "tradewind/comm/comm.hpp"
#include "tradewind/comm/neighbor/neighbor.hpp"
#include "tradewind/comm/process_grid.hpp"
#include "tradewind/program/estimate.hpp"
#include "tradewind/skeleton/box.hpp"

namespace tradewind::skeleton {

/// The halo exchange; one object for all ranks of a run. x is cut by cx, y by cy, z is whole.
struct Halo {
    Extents grid{};
    ProcessGrid processes;
    Elements elements;
    std::int64_t width = 1;
    std::int64_t repeat = 1;
    /// True for x and for y where the domain is periodic.
    std::array<bool, 2> periodic{true, true};
    /// False: points that are off the part in both x and y stay as they are.
    bool corners = true;
    /// The algorithm of each sweep; null stands for "burst". Algorithms that need a window are not
    /// allowed.
    const NeighborAlgorithm* algorithm = nullptr;
    Options options{};
};

[[nodiscard]] ProcessLimits halo_limits(const Extents& grid) noexcept;
/// Throws ConfigError unless 1 <= width <= nx and ny: no point may be needed twice on one side.
void check_halo_width(std::int64_t width, const Extents& grid);

/// Returns the points that `rank` owns; coordinates are not wrapped.
[[nodiscard]] Box owned_box(const Halo& plan, Rank rank);
/// Returns the points that `rank` owns with the halo around them; coordinates are not wrapped.
[[nodiscard]] Box halo_box(const Halo& plan, Rank rank);

/// Fills the halo. `field` has the shape of `halo_box`, its owned points set. Without it, the same
/// messages are sent with null buffers.
Task exchange_halo(Comm& comm, const Halo& plan, LocalField* field = nullptr);
/// Fills the halo of a field in memory of the caller. That memory and `memory` must exist until the
/// task has finished.
Task exchange_halo(Comm& comm, const Halo& plan, std::span<std::byte> values,
                   MessageMemory& memory);

[[nodiscard]] Estimate estimate(const Halo& plan, Rank ranks);
/// Returns the average bytes of a message over all ranks and both sweeps; 0 if there is none.
[[nodiscard]] Bytes average_message(const Halo& plan);
/// Returns the allowed process grid with which the halo sends the fewest bytes; of equally good
/// ones that with the fewest messages, then the smallest cx. The plan's own grid does not matter.
[[nodiscard]] ProcessGrid least_process_grid(Halo plan, Rank ranks);

}  // namespace tradewind::skeleton

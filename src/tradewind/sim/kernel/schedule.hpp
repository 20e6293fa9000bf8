/// Schedule: what all workers of an engine agree on, in all processes.
#pragma once

#include <algorithm>
#include <vector>

#include "tradewind/sim/kernel/event.hpp"
#include "tradewind/sim/kernel/transport.hpp"

namespace tradewind::sim {

/// Process p of P has the workers p W / P .. (p + 1) W / P - 1 of W; W is a multiple of P.
struct Schedule {
    /// Width of a window: no event reaches another location sooner than this.
    Picoseconds width = 1;
    /// Worker i owns locations [bounds[i], bounds[i + 1]).
    std::vector<Location> bounds;
    /// Null where one process has all workers.
    Transport* transport = nullptr;

    /// Of all processes.
    [[nodiscard]] int all_workers() const noexcept { return int(bounds.size()) - 1; }
    [[nodiscard]] int process() const noexcept { return transport ? transport->process() : 0; }
    [[nodiscard]] int processes() const noexcept { return transport ? transport->processes() : 1; }
    /// Of this process, and the number of the first of them.
    [[nodiscard]] int workers() const noexcept { return all_workers() / processes(); }
    [[nodiscard]] int first_worker() const noexcept { return process() * workers(); }
    /// The locations of this process: [begin_location(), end_location()).
    [[nodiscard]] Location begin_location() const { return bounds[std::size_t(first_worker())]; }
    [[nodiscard]] Location end_location() const {
        return bounds[std::size_t(first_worker() + workers())];
    }
    [[nodiscard]] bool is_here(Location location) const {
        return location >= begin_location() && location < end_location();
    }
    /// Number of the worker, or the process, that owns a location.
    [[nodiscard]] int process_of(Location location) const noexcept {
        return owner(location) / workers();
    }
    [[nodiscard]] int owner(Location location) const noexcept {
        return int(std::ranges::upper_bound(bounds, location) - bounds.begin()) - 1;
    }
};

}  // namespace tradewind::sim

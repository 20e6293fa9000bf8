/// Schedule: the settings on which all workers of an engine agree, in all processes.
#pragma once

#include <algorithm>
#include <vector>

#include "tradewind/sim/kernel/event.hpp"
#include "tradewind/sim/kernel/process_group.hpp"

namespace tradewind::sim {

/// The division of the locations among processes and their workers. Every process has `threads`
/// workers; those of process p have the numbers p threads .. (p + 1) threads - 1.
struct Schedule {
    /// The width of a window: no event reaches another location sooner than this.
    Picoseconds width = 1;
    /// The bounds of the processes: process p owns locations [bounds[p], bounds[p + 1]).
    std::vector<Location> bounds;
    /// The number of workers of each process. The locations of a process are distributed
    /// cyclically over its workers, in blocks of `block_size`, so that all of them have a share in
    /// whatever part of the machine is busy.
    int threads = 1;
    /// The processes that share the simulation; null if there is one process.
    ProcessGroup* group = nullptr;
    /// The size of a part of a window, as a power of two. A worker handles the events of
    /// 2^part_bits neighbouring locations of its process at a time, so that the events of a part
    /// fit into a core's cache.
    unsigned part_bits = 31;
    /// The number of windows, a power of two, after which the engine looks whether it is time for a
    /// report. One where the events of a window may take long, as those of models do.
    std::int64_t windows_per_look = 64;

    /// The number of neighbouring locations in a block of the cyclic distribution.
    static constexpr Location block_size = 4;

    [[nodiscard]] int process() const noexcept { return group ? group->process() : 0; }
    [[nodiscard]] int processes() const noexcept { return group ? group->processes() : 1; }
    /// Returns the number of workers of all processes.
    [[nodiscard]] int all_workers() const noexcept { return threads * processes(); }
    /// Returns the number of workers of this process.
    [[nodiscard]] int workers() const noexcept { return threads; }
    /// Returns the number of the first worker of this process.
    [[nodiscard]] int first_worker() const noexcept { return process() * threads; }
    /// Returns the first location of this process.
    [[nodiscard]] Location begin_location() const { return bounds[std::size_t(process())]; }
    /// Returns the location after the last one of this process.
    [[nodiscard]] Location end_location() const { return bounds[std::size_t(process()) + 1]; }
    /// Returns true for a location of this process.
    [[nodiscard]] bool is_here(Location location) const {
        return location >= begin_location() && location < end_location();
    }
    /// Returns the number of parts of the locations of a process, the same for all processes.
    [[nodiscard]] std::size_t parts() const {
        Location most = 1;
        for (std::size_t i = 1; i < bounds.size(); ++i)
            most = std::max(most, bounds[i] - bounds[i - 1]);
        return ((most - 1) >> part_bits) + 1;
    }
    /// Returns the number of the process that owns a location.
    [[nodiscard, gnu::always_inline]] int process_of(Location location) const noexcept {
        std::size_t process = 0;
        while (process + 2 < bounds.size() && location >= bounds[process + 1]) ++process;
        return int(process);
    }
    /// Returns the number of the worker that owns a location.
    [[nodiscard, gnu::always_inline]] int owner(Location location) const noexcept {
        return owner_in(process_of(location), location);
    }
    /// Returns the number of the queue for a location among those of all workers and parts.
    [[nodiscard, gnu::always_inline]] std::size_t queue_of(Location location,
                                                           std::size_t parts) const noexcept {
        const int process = process_of(location);
        const auto worker = std::size_t(owner_in(process, location));
        return worker * parts + ((location - bounds[std::size_t(process)]) >> part_bits);
    }

private:
    [[nodiscard, gnu::always_inline]] int owner_in(int process, Location location) const noexcept {
        if (threads == 1) return process;
        const Location block = (location - bounds[std::size_t(process)]) / block_size;
        return process * threads + int(block % Location(threads));
    }
};

}  // namespace tradewind::sim

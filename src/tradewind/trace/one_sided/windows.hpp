/// ReplayWindows: the windows of a rank of a replay, with the accesses that are under way.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "tradewind/comm/simulated_calls.hpp"
#include "tradewind/trace/trace.hpp"

namespace tradewind::trace {

/// An access that is not complete at its target yet.
struct OpenAccess {
    /// The target, as a rank of the whole run.
    Rank target = 0;
    Request request;
    /// The slot of a request of MPI that stands for the same; `none` if there is none.
    std::int64_t slot = -1;
};

/// A window. Ranks in it are those of the whole run.
struct ReplayWindow {
    std::int64_t comm = 0;
    /// The number that all its ranks agree on.
    std::uint32_t number = 0;
    std::vector<OpenAccess> open;
    /// The targets of the present access epoch, and the origins of the present exposure epoch.
    std::vector<Rank> targets;
    std::vector<Rank> origins;
    /// The posts and the ends of accesses that have been waited for, by rank.
    std::map<Rank, std::int64_t> posts;
    std::map<Rank, std::int64_t> ends;
    /// The locks that are held, by rank: true if exclusive.
    std::map<Rank, bool> locks;

    /// Moves the requests of the accesses to some ranks, or to all if there are none, to
    /// `requests`. Appends the slots that are empty now to `slots`.
    void take(std::span<const Rank> targets, std::vector<Request>& requests,
              std::vector<std::int64_t>& slots);
};

class ReplayWindows {
public:
    /// Adds a window of a communicator.
    void add(std::int64_t window, std::int64_t comm);
    void remove(std::int64_t window) { windows_.erase(window); }
    /// Returns a window; null if there is none of that number.
    [[nodiscard]] ReplayWindow* find(std::int64_t window);
    /// Forgets accesses whose requests are waited for by their slots.
    void forget(Numbers slots);

private:
    std::map<std::int64_t, ReplayWindow> windows_;
    /// The number of windows so far of each communicator.
    std::map<std::int64_t, std::uint32_t> made_;
};

}  // namespace tradewind::trace

/// WeakProgress: when the library of a rank notices what has arrived, if it looks only in calls.
///
///     call   computation            call
///     -----|========================|-----
///              ^ arrives             ^ is noticed
///
/// The standard calls this weak progress (MPI-4.1, 2.9). Short copies between calls do not count.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "tradewind/base/units.hpp"

namespace tradewind::simcomm {

/// The computations of one rank. Its calls run ahead of the engine, so that the end of a
/// computation is known when something arrives in the meantime.
class WeakProgress {
public:
    /// Begins a computation, which may follow another without a call between them.
    void compute(Picoseconds now) {
        if (!open_) open_ = now;
    }
    /// Takes notice of a call, and forgets computations that ended before the time of the engine.
    void call(Picoseconds now, Picoseconds engine) {
        if (!open_) return;
        std::erase_if(past_, [engine](const auto& one) { return one.second <= engine; });
        if (now > *open_) past_.emplace_back(*open_, now);
        open_.reset();
    }
    /// Returns the first time from `time` on at which the library looks.
    [[nodiscard]] Picoseconds notice(Picoseconds time) const noexcept {
        for (const auto& [begin, end] : past_) {
            if (time >= begin && time < end) return end;
        }
        return time;
    }

private:
    /// The begins and ends of computations after which there was a call.
    std::vector<std::pair<Picoseconds, Picoseconds>> past_;
    /// The begin of a computation after which there was no call yet.
    std::optional<Picoseconds> open_;
};

}  // namespace tradewind::simcomm

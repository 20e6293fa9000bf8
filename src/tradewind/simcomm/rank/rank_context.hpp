/// RankContext: the place of a simulated rank in its simulation.
#pragma once

#include "tradewind/simcomm/critical_path/critical_path.hpp"
#include "tradewind/simcomm/messages/messaging.hpp"
#include "tradewind/simcomm/run_log.hpp"

namespace tradewind::simcomm {

/// The services for all ranks of a process.
struct RankServices {
    Messaging messaging;
    RunLog log;
};

struct RankContext {
    RankServices* services = nullptr;
    /// The worker that runs the rank; null before its start.
    sim::Worker* worker = nullptr;
    std::uint32_t rank = 0;
    std::uint32_t nic = 0;
    /// The number of waits so far, of the program and of tasks beside it.
    mutable std::uint32_t waits = 0;

    [[nodiscard]] Messaging& messaging() const noexcept { return services->messaging; }
    [[nodiscard]] CriticalPath* path() const noexcept { return services->messaging.path(); }
    /// Takes notice of what kept the rank busy until its clock showed `now`.
    void keep_busy(PathKind kind, Picoseconds now) const {
        if (CriticalPath* const record = path(); record != nullptr) [[unlikely]]
            record->keep_busy(rank, kind, now);
    }
    [[nodiscard]] RunLog& log() const noexcept { return services->log; }
};

}  // namespace tradewind::simcomm

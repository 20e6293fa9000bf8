/// Runs a program on virtual ranks with real payloads, for tests and verification.
#pragma once

#include "tradewind/comm/comm.hpp"
#include "tradewind/comm/program.hpp"

namespace tradewind::simcomm {

/// What a run on virtual ranks counted, point-to-point messages that algorithms asked for.
struct Traffic {
    std::int64_t messages = 0;
    Bytes bytes = 0;
    /// Simulated time at which the last rank finished.
    Picoseconds time = 0;
};

/// Runs `program` on `ranks` simulated ranks on a small machine; throws what a rank threw, or
/// DeadlockError.
Traffic run_virtual(Rank ranks, const Program& program);

}  // namespace tradewind::simcomm

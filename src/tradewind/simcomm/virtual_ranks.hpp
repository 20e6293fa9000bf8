/// Runs a program on virtual ranks with real payloads, for tests and verification.
#pragma once

#include "tradewind/comm/comm.hpp"
#include "tradewind/comm/program.hpp"
#include "tradewind/simcomm/simulation.hpp"

namespace tradewind::simcomm {

/// The traffic of a run on virtual ranks: point-to-point messages that algorithms asked for.
struct Traffic {
    std::int64_t messages = 0;
    Bytes bytes = 0;
    /// The simulated time at which the last rank finished.
    Picoseconds time = 0;
};

/// Runs `program` on `ranks` simulated ranks on a small machine. `progress` is called ten times a
/// second where ranks communicate that often. Throws the exception of a rank or of `progress`,
/// DeadlockError, or Interrupted.
Traffic run_virtual(Rank ranks, const Program& program, const RunProgress& progress = {});

}  // namespace tradewind::simcomm

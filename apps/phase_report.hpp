/// The times of the phases of a run on MPI, as JSON.
#pragma once

#include <string>

#include "tradewind/comm/comm.hpp"

namespace tradewind {

/// Ends the phases of all ranks; returns on rank 0 a list with an object for each phase: name, and
/// lists with a number for each rank: seconds, blocked_s (the part in calls of MPI that wait),
/// processor_s and received_bytes. The list is empty if the ranks have had different phases. All
/// ranks make the call, with an MpiComm.
[[nodiscard]] std::string phases_of_all(Comm& world);

}  // namespace tradewind

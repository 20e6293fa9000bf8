/// The communicators of the first 1, 2, 3, ... processes of a test program.
#pragma once

#include <mpi.h>

#include <memory>
#include <vector>

#include "tradewind/mpi/mpi_comm.hpp"

namespace tradewind {

/// Returns the communicator of the first `ranks` processes, which must include this one.
[[nodiscard]] mpi::MpiComm& real_comm(Rank ranks);

}  // namespace tradewind

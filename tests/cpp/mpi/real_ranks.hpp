/// The processes of a test program: communicators of the first 1, 2, 3, ... of them.
#pragma once

#include <mpi.h>

#include <memory>
#include <vector>

#include "tradewind/mpi/mpi_comm.hpp"

namespace tradewind {

/// A communicator of the first `ranks` processes, of which this one is one.
[[nodiscard]] mpi::MpiComm& real_comm(Rank ranks);

}  // namespace tradewind

/// The MPI library and the nodes that the program runs on.
#pragma once

#include <string>

namespace tradewind::mpi {

/// Returns name and version, such as "MPICH 5.0.2" or "Open MPI v4.1.4".
[[nodiscard]] std::string library_version();

/// Returns the number of shared-memory nodes on which the ranks of MPI_COMM_WORLD run; collective.
[[nodiscard]] int nodes();

/// Returns the part of the library's description that is its name and version.
[[nodiscard]] std::string short_version(const std::string& description);

}  // namespace tradewind::mpi

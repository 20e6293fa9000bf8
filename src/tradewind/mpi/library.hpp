/// Library: which MPI this program runs on.
#pragma once

#include <string>

namespace tradewind::mpi {

/// Name and version, such as "MPICH 5.0.2" or "Open MPI v4.1.4".
[[nodiscard]] std::string library_version();

/// On how many nodes, of shared memory each, the ranks of MPI_COMM_WORLD sit; all must call it.
[[nodiscard]] int nodes();

/// The part of the library's own description that names it.
[[nodiscard]] std::string short_version(const std::string& description);

}  // namespace tradewind::mpi

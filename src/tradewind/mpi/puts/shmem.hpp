/// OpenSHMEM beside MPI: its start and end, with substitutes for builds without it.
#pragma once

#include "tradewind/base/units.hpp"

namespace tradewind::mpi {

/// Reports whether this library was built with the OpenSHMEM of its MPI library.
[[nodiscard]] bool has_shmem() noexcept;

/// Disables the memory hooks of UCX, unless the environment says otherwise; to be called before
/// MPI_Init. Debian's Open MPI 4.1.4 with these hooks crashes when OpenSHMEM ends.
void prepare_shmem() noexcept;

/// Starts OpenSHMEM; to be called by all processes of MPI_COMM_WORLD after MPI_Init. Each takes
/// `heap` bytes of symmetric memory for the windows of all its communicators. Throws ConfigError on
/// all processes if there is no OpenSHMEM, if it does not see the same processes as MPI, or if it
/// has less memory.
void start_shmem(Bytes heap);
/// Starts OpenSHMEM with the number of MiB in TRADEWIND_SHMEM_HEAP, or 64 without that variable.
void start_shmem();

/// Ends OpenSHMEM, if it has been started; to be called by all processes when no communicator is
/// left. It may end MPI too, which MPI_Finalized reports.
void end_shmem() noexcept;

}  // namespace tradewind::mpi

/// OpenSHMEM beside MPI: its start and end, and where it is not there.
#pragma once

#include "tradewind/base/units.hpp"

namespace tradewind::mpi {

/// Whether this library was built with the OpenSHMEM of its MPI.
[[nodiscard]] bool has_shmem() noexcept;

/// Before MPI_Init. Debian's Open MPI 4.1.4 crashes when OpenSHMEM ends unless UCX leaves memory
/// hooks alone: asks it to, unless the environment says otherwise.
void prepare_shmem() noexcept;

/// Starts OpenSHMEM; all processes of MPI_COMM_WORLD, after MPI_Init. Each takes `heap` bytes of
/// symmetric memory for the windows of all its communicators. Throws ConfigError on all processes
/// if there is no OpenSHMEM, it does not see the processes that MPI sees, or has less memory.
void start_shmem(Bytes heap);
/// The same with the MiB that TRADEWIND_SHMEM_HEAP names; 64 without it.
void start_shmem();

/// All processes, when no communicator is left; nothing if OpenSHMEM has not been started. It may
/// end MPI too: ask MPI_Finalized.
void end_shmem() noexcept;

}  // namespace tradewind::mpi

/// The two algorithms of the comparison, written by hand on MPI.
#pragma once

#include <mpi.h>

#include <cstddef>

/// Ring alltoallv with equal blocks: as alltoallv_ring.
void direct_alltoallv(MPI_Comm comm, const std::byte* send, std::byte* receive, int block);

/// Recursive doubling allreduce of doubles, on a power of two of ranks: as
/// allreduce_recursive_doubling.
void direct_allreduce(MPI_Comm comm, double* vector, int length);

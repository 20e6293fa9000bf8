/// The two algorithms of the comparison, written by hand on MPI.
#pragma once

#include <mpi.h>

#include <cstddef>

/// Runs the ring alltoallv with equal blocks, as alltoallv_ring does.
void direct_alltoallv(MPI_Comm comm, const std::byte* send, std::byte* receive, int block);

/// Runs the recursive doubling allreduce of doubles on a power of two of ranks, as
/// allreduce_recursive_doubling does.
void direct_allreduce(MPI_Comm comm, double* vector, int length);

/// The two algorithms of the comparison, written by hand on MPI.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

/// Runs the ring alltoallv with equal blocks, as alltoallv_ring does.
void direct_alltoallv(MPI_Comm comm, const std::byte* send, std::byte* receive, int block);

/// Runs the recursive doubling allreduce of doubles on a power of two of ranks, as
/// allreduce_recursive_doubling does.
void direct_allreduce(MPI_Comm comm, double* vector, int length);

/// The points that a rank exchanges with one other rank, and buffers for their records of `layers`
/// values.
struct DirectPoints {
    int partner = 0;
    int layers = 1;
    std::vector<int> sends;
    std::vector<int> receives;
    std::vector<double> out;
    std::vector<double> in;
};

/// Packs, exchanges and unpacks the points, as MeshExchange does for a copy.
void direct_mesh(MPI_Comm comm, DirectPoints& points, double* values);

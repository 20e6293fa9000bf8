/// The two algorithms, with the messages and memory of those of the library, but without its calls.
#include "direct.hpp"

#include <cstring>
#include <memory>

namespace {

/// Adds two vectors. It is a separate function because within the loop over the stages g++ 12
/// stores a register to the stack for every two numbers.
[[gnu::noinline]] void add(const double* from, double* to, int length) {
    for (int i = 0; i < length; ++i) to[i] += from[i];
}

}  // namespace

void direct_alltoallv(MPI_Comm comm, const std::byte* send, std::byte* receive, int block) {
    int p = 0;
    int r = 0;
    MPI_Comm_size(comm, &p);
    MPI_Comm_rank(comm, &r);
    const auto at = [block](int rank) { return std::size_t(rank) * std::size_t(block); };
    std::memcpy(receive + at(r), send + at(r), std::size_t(block));
    for (int i = 1; i < p; ++i) {
        const int to = (r + i) % p;
        const int from = (r - i + p) % p;
        MPI_Request requests[2];
        MPI_Irecv(receive + at(from), block, MPI_BYTE, from, 1, comm, &requests[0]);
        MPI_Isend(send + at(to), block, MPI_BYTE, to, 1, comm, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
}

void direct_allreduce(MPI_Comm comm, double* vector, int length) {
    int p = 0;
    int r = 0;
    MPI_Comm_size(comm, &p);
    MPI_Comm_rank(comm, &r);
    const auto arrived = std::make_unique_for_overwrite<double[]>(std::size_t(length));
    for (int distance = 1; distance < p; distance *= 2) {
        const int partner = r ^ distance;
        MPI_Request requests[2];
        MPI_Irecv(arrived.get(), length, MPI_DOUBLE, partner, 1, comm, &requests[0]);
        MPI_Isend(vector, length, MPI_DOUBLE, partner, 1, comm, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        // In the order of ranks, so that any operation gives all of them the same bits.
        if (r < partner) {
            add(arrived.get(), vector, length);
        } else {
            add(vector, arrived.get(), length);
            std::memcpy(vector, arrived.get(), std::size_t(length) * sizeof(double));
        }
    }
}

void direct_mesh(MPI_Comm comm, DirectPoints& points, double* values) {
    const auto layers = std::size_t(points.layers);
    double* record = points.out.data();
    for (const int point : points.sends) {
        std::memcpy(record, values + std::size_t(point) * layers, layers * sizeof(double));
        record += layers;
    }
    MPI_Request requests[2];
    MPI_Irecv(points.in.data(), int(points.in.size()), MPI_DOUBLE, points.partner, 1, comm,
              &requests[0]);
    MPI_Isend(points.out.data(), int(points.out.size()), MPI_DOUBLE, points.partner, 1, comm,
              &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    const double* arrived = points.in.data();
    for (const int point : points.receives) {
        std::memcpy(values + std::size_t(point) * layers, arrived, layers * sizeof(double));
        arrived += layers;
    }
}

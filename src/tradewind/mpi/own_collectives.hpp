/// OwnCollectives: MPI_Alltoallv and MPI_Allreduce for a communicator and those made from it.
#pragma once

#include <mpi.h>

#include <map>
#include <vector>

#include "tradewind/comm/comm.hpp"

namespace tradewind::mpi {

class MpiComm;

class OwnCollectives final : public LibraryCollectives {
public:
    explicit OwnCollectives(const MpiComm& comm) noexcept : comm_(comm) {}

    /// Throws ConfigError for more than 2^31 - 1 bytes between two ranks, or in all.
    void alltoallv(const Comm& group, const Alltoallv& data) override;
    /// Sums, maxima and minima of double and std::int64_t; throws ConfigError for others.
    void allreduce(const Comm& group, const Allreduce& vector) override;
    /// Collective, before the communicator is freed.
    void free() noexcept;

private:
    /// The MPI communicator of the same ranks in the same order, made at the first use.
    [[nodiscard]] MPI_Comm communicator_of(const Comm& group);

    const MpiComm& comm_;
    /// By ranks in `comm_`: every rank goes through its groups in the same order.
    std::map<std::vector<int>, MPI_Comm> made_;
};

}  // namespace tradewind::mpi

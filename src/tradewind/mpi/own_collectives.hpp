/// OwnCollectives: MPI_Alltoallv and MPI_Allreduce for a communicator and the communicators made
/// from it.
#pragma once

#include <mpi.h>

#include <map>
#include <vector>

#include "tradewind/comm/comm.hpp"

namespace tradewind::mpi {

class MpiComm;

class OwnCollectives final : public LibraryCollectives {
public:
    explicit OwnCollectives(MpiComm& comm) noexcept : comm_(comm) {}

    /// Calls MPI_Alltoallv; throws ConfigError if a size or an offset exceeds 2^31 - 1 bytes.
    void alltoallv(const Comm& group, const Alltoallv& data) override;
    /// Calls MPI_Allreduce for sums, maxima and minima of double and std::int64_t; throws
    /// ConfigError for other reductions and for more than 2^31 - 1 elements.
    void allreduce(const Comm& group, const Allreduce& vector) override;
    /// Makes a distributed graph communicator of the ranks of `group`; collective.
    [[nodiscard]] std::unique_ptr<NeighborCollective> neighbors(const Comm& group,
                                                                const Neighborhood& own) override;
    /// Frees the MPI communicators; collective, to be called before the communicator is freed.
    void free() noexcept;

private:
    /// Returns the MPI communicator of the same ranks in the same order, which is made at the first
    /// use.
    [[nodiscard]] MPI_Comm communicator_of(const Comm& group);

    MpiComm& comm_;
    /// The communicators by their ranks in `comm_`, so that all ranks free the groups that they
    /// share in the same order.
    std::map<std::vector<int>, MPI_Comm> made_;
};

}  // namespace tradewind::mpi

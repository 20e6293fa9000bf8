/// Calls of the MPI library's collectives.
#include "tradewind/mpi/collectives.hpp"

#include <climits>

#include "tradewind/mpi/check.hpp"
#include "tradewind/mpi/mpi_comm.hpp"

namespace tradewind::mpi {

namespace {

int count_of(Bytes bytes) {
    if (bytes > INT_MAX)
        throw ConfigError(text("native collectives take at most 2^31 - 1 bytes, not ", bytes));
    return int(bytes);
}

/// With counts and displacements for each rank, as the algorithms of this library have.
Task alltoallv(Comm& comm, Bytes bytes, ConstBuffer send, Buffer receive) {
    const std::vector<int> counts(std::size_t(comm.size()), count_of(bytes));
    std::vector<int> offsets(counts.size());
    for (std::size_t r = 0; r < offsets.size(); ++r) offsets[r] = count_of(bytes * std::int64_t(r));
    check(MPI_Alltoallv(send.data(), counts.data(), offsets.data(), MPI_BYTE, receive.data(),
                        counts.data(), offsets.data(), MPI_BYTE, communicator_of(comm)),
          "MPI_Alltoallv");
    co_return;
}

Task allgather(Comm& comm, Bytes bytes, ConstBuffer send, Buffer receive) {
    const int count = count_of(bytes);
    check(MPI_Allgather(send.data(), count, MPI_BYTE, receive.data(), count, MPI_BYTE,
                        communicator_of(comm)),
          "MPI_Allgather");
    co_return;
}

Task allreduce(Comm& comm, Bytes bytes, ConstBuffer /*send*/, Buffer receive) {
    check(MPI_Allreduce(MPI_IN_PLACE, receive.data(), count_of(bytes / Bytes(sizeof(double))),
                        MPI_DOUBLE, MPI_SUM, communicator_of(comm)),
          "MPI_Allreduce");
    co_return;
}

Task bcast(Comm& comm, Bytes bytes, ConstBuffer /*send*/, Buffer receive) {
    check(MPI_Bcast(receive.data(), count_of(bytes), MPI_BYTE, 0, communicator_of(comm)),
          "MPI_Bcast");
    co_return;
}

Task barrier(Comm& comm, Bytes /*bytes*/, ConstBuffer /*send*/, Buffer /*receive*/) {
    check(MPI_Barrier(communicator_of(comm)), "MPI_Barrier");
    co_return;
}

constexpr NativeCollective table[] = {{"alltoallv", alltoallv},
                                      {"allgather", allgather},
                                      {"allreduce", allreduce},
                                      {"bcast", bcast},
                                      {"barrier", barrier}};

}  // namespace

std::span<const NativeCollective> native_collectives() {
    return table;
}

}  // namespace tradewind::mpi

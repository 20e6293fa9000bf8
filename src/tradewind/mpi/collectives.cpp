/// The calls of the MPI library's collectives.
#include "tradewind/mpi/collectives.hpp"

#include "tradewind/comm/allreduce/allreduce.hpp"
#include "tradewind/comm/alltoallv/alltoallv.hpp"
#include "tradewind/comm/native.hpp"
#include "tradewind/mpi/check.hpp"
#include "tradewind/mpi/mpi_comm.hpp"

namespace tradewind::mpi {

namespace {

/// Calls MPI_Alltoallv, with counts and displacements for each rank like the algorithms of this
/// library.
Task alltoallv(Comm& comm, Bytes bytes, ConstBuffer send, Buffer receive) {
    const UniformBlocks blocks(bytes);
    const Bytes all = bytes * comm.size();
    const Alltoallv data{{send.data(), all}, {receive.data(), all}, &blocks};
    co_await alltoallv_algorithm(native).run(comm, data, {});
}

Task allgather(Comm& comm, Bytes bytes, ConstBuffer send, Buffer receive) {
    const int count = count_of(bytes);
    const BlockingCall call("MPI_Allgather", bytes);
    check(MPI_Allgather(send.data(), count, MPI_BYTE, receive.data(), count, MPI_BYTE,
                        communicator_of(comm)),
          "MPI_Allgather");
    co_return;
}

Task allreduce(Comm& comm, Bytes bytes, ConstBuffer /*send*/, Buffer receive) {
    const Bytes whole = bytes / Bytes(sizeof(double)) * Bytes(sizeof(double));
    const Allreduce vector{receive.part(0, whole), sum<double>()};
    co_await allreduce_algorithm(native).run(comm, vector, {});
}

Task bcast(Comm& comm, Bytes bytes, ConstBuffer /*send*/, Buffer receive) {
    const BlockingCall call("MPI_Bcast", bytes);
    check(MPI_Bcast(receive.data(), count_of(bytes), MPI_BYTE, 0, communicator_of(comm)),
          "MPI_Bcast");
    co_return;
}

Task barrier(Comm& comm, Bytes /*bytes*/, ConstBuffer /*send*/, Buffer /*receive*/) {
    const BlockingCall call("MPI_Barrier");
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

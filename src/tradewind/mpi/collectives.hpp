/// The collectives of the MPI library, to be measured beside the algorithms of this library.
#pragma once

#include <span>
#include <string_view>

#include "tradewind/comm/comm.hpp"
#include "tradewind/comm/task.hpp"

namespace tradewind::mpi {

struct NativeCollective {
    std::string_view operation;
    /// A function that runs the operation with blocks of `bytes` bytes (alltoallv, allgather), a
    /// vector of doubles of that size (allreduce), or a message of that size from rank 0 (bcast).
    /// It throws ConfigError unless `comm` is an MpiComm.
    Task (*run)(Comm& comm, Bytes bytes, ConstBuffer send, Buffer receive);
};

[[nodiscard]] std::span<const NativeCollective> native_collectives();

}  // namespace tradewind::mpi

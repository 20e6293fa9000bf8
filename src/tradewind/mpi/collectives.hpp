/// The collectives of the MPI library itself, to be measured beside the algorithms of this one.
#pragma once

#include <span>
#include <string_view>

#include "tradewind/comm/comm.hpp"
#include "tradewind/comm/task.hpp"

namespace tradewind::mpi {

struct NativeCollective {
    std::string_view operation;
    /// Blocks of `bytes` bytes (alltoallv, allgather), a vector of doubles of that size
    /// (allreduce), a message from rank 0 (bcast). `comm` must be an MpiComm, or it is a
    /// ConfigError.
    Task (*run)(Comm& comm, Bytes bytes, ConstBuffer send, Buffer receive);
};

[[nodiscard]] std::span<const NativeCollective> native_collectives();

}  // namespace tradewind::mpi

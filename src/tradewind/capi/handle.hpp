/// The handle behind `tradewind_comm`, and the frame in which operations run on it.
#pragma once

#include <vector>

#include "tradewind/capi/guard.hpp"
#include "tradewind/comm/mesh/mesh_exchange.hpp"
#include "tradewind/mpi/mpi_comm.hpp"
#include "tradewind/mpi/return_errors.hpp"

struct tradewind_comm {
    explicit tradewind_comm(MPI_Comm comm) : mpi(comm) {}

    /// Exchanges that have been freed, but whose memory is exposed as long as the communicator
    /// lives.
    std::vector<tradewind::MeshExchange> exposed;
    tradewind::mpi::MpiComm mpi;
    bool checks_counts = false;
};

namespace tradewind::capi {

/// Runs `body(handle)`, a collective function, within a guard.
template <class Body>
int on_comm(std::string_view function, tradewind_comm* comm, const Body& body) noexcept {
    return guard(function, [&] {
        tradewind_comm& handle = required(comm, "comm");
        require_mpi();
        const mpi::ReturnErrors returning;
        body(handle);
    });
}

}  // namespace tradewind::capi

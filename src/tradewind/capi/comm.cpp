/// The start and end of MPI, and the handles of communicators.
#include <memory>

#include "tradewind/capi/handle.hpp"

using tradewind::capi::guard;
using tradewind::capi::required;

namespace {

/// True if MPI was started here and has to be ended here.
bool started_here = false;

/// Makes the handle on all ranks; the caller has checked that MPI runs.
void make(MPI_Comm mpi_comm, tradewind_comm** comm) {
    tradewind_comm*& result = required(comm, "the place for the handle");
    if (mpi_comm == MPI_COMM_NULL) throw tradewind::ConfigError("the communicator is null");
    const tradewind::mpi::ReturnErrors returning;
    result = std::make_unique<tradewind_comm>(mpi_comm).release();
}

}  // namespace

const char* tradewind_version(void) {
    return TRADEWIND_VERSION;
}

int tradewind_init(void) {
    return guard("tradewind_init", [] {
        int started = 0;
        int ended = 0;
        MPI_Initialized(&started);
        MPI_Finalized(&ended);
        if (ended != 0)
            throw tradewind::ConfigError("MPI has been ended and cannot be started again");
        if (started != 0) return;
        tradewind::mpi::check(MPI_Init(nullptr, nullptr), "MPI_Init");
        started_here = true;
    });
}

int tradewind_finalize(void) {
    return guard("tradewind_finalize", [] {
        int ended = 0;
        MPI_Finalized(&ended);
        if (!started_here || ended != 0) return;
        tradewind::mpi::check(MPI_Finalize(), "MPI_Finalize");
    });
}

int tradewind_comm_create(MPI_Comm mpi_comm, tradewind_comm** comm) {
    return guard("tradewind_comm_create", [&] {
        tradewind::capi::require_mpi();
        make(mpi_comm, comm);
    });
}

int tradewind_comm_create_f(MPI_Fint mpi_comm, tradewind_comm** comm) {
    return guard("tradewind_comm_create_f", [&] {
        tradewind::capi::require_mpi();
        make(MPI_Comm_f2c(mpi_comm), comm);
    });
}

int tradewind_comm_world(tradewind_comm** comm) {
    return guard("tradewind_comm_world", [&] {
        tradewind::capi::require_mpi();
        make(MPI_COMM_WORLD, comm);
    });
}

int tradewind_comm_free(tradewind_comm** comm) {
    return guard("tradewind_comm_free", [&] {
        tradewind_comm*& handle = required(comm, "the place of the handle");
        const std::unique_ptr<tradewind_comm> freed(handle);
        handle = nullptr;
    });
}

int tradewind_comm_rank(const tradewind_comm* comm, int* rank) {
    return guard("tradewind_comm_rank", [&] {
        required(rank, "the place for the rank") = int(required(comm, "comm").mpi.rank());
    });
}

int tradewind_comm_size(const tradewind_comm* comm, int* size) {
    return guard("tradewind_comm_size", [&] {
        required(size, "the place for the size") = int(required(comm, "comm").mpi.size());
    });
}

int tradewind_comm_check_counts(tradewind_comm* comm, int on) {
    return guard("tradewind_comm_check_counts",
                 [&] { required(comm, "comm").checks_counts = on != 0; });
}

/// ReturnErrors: a scope in which failures of MPI are return codes, including failures that belong
/// to no communicator.
#pragma once

#include <mpi.h>

namespace tradewind::mpi {

/// A guard that sets the error handlers of MPI_COMM_WORLD and MPI_COMM_SELF. Waits belong to no
/// communicator, and the library decides which of the two handlers gets their errors. The
/// destructor restores the handlers of the application.
class ReturnErrors {
public:
    ReturnErrors() noexcept {
        for (Kept& kept : kept_) {
            MPI_Comm_get_errhandler(kept.comm, &kept.handler);
            MPI_Comm_set_errhandler(kept.comm, MPI_ERRORS_RETURN);
        }
    }
    ReturnErrors(const ReturnErrors&) = delete;
    ReturnErrors& operator=(const ReturnErrors&) = delete;
    ~ReturnErrors() {
        for (Kept& kept : kept_) {
            MPI_Comm_set_errhandler(kept.comm, kept.handler);
            MPI_Errhandler_free(&kept.handler);
        }
    }

private:
    struct Kept {
        MPI_Comm comm;
        MPI_Errhandler handler;
    };
    Kept kept_[2] = {{MPI_COMM_WORLD, MPI_ERRHANDLER_NULL}, {MPI_COMM_SELF, MPI_ERRHANDLER_NULL}};
};

}  // namespace tradewind::mpi

/// ReturnErrors: for as long as it lives, failures of MPI are return codes, also those that belong
/// to no communicator.
#pragma once

#include <mpi.h>

namespace tradewind::mpi {

/// Waits belong to no communicator; which one's handler gets their errors, that of MPI_COMM_WORLD
/// or of MPI_COMM_SELF, depends on the library. The handlers of the application are put back.
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

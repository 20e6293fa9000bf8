/// A program in which one rank ends MPI while the other one waits for it; it never ends by itself.
#include <stddef.h>
#include <tradewind.h>

int main(void) {
    tradewind_comm* comm = NULL;
    int rank = 0;
    MPI_Init(NULL, NULL);
    if (tradewind_comm_world(&comm) != TRADEWIND_OK) return 2;
    if (tradewind_comm_rank(comm, &rank) != TRADEWIND_OK) return 2;
    if (rank == 0) tradewind_barrier(comm, NULL);
    MPI_Finalize();
    return 0;
}

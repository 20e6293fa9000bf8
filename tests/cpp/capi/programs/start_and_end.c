/// The C interface before MPI has started, with a message that does not fit, and after MPI has
/// ended.
#include <stdio.h>
#include <string.h>
#include <tradewind.h>

static int wrong = 0;

static void expect(int code, int given, const char* words) {
    if (given == code && (code == TRADEWIND_OK || strstr(tradewind_last_error(), words) != NULL))
        return;
    wrong = 1;
    printf("code %d, not %d: %s\n", given, code, tradewind_last_error());
}

int main(void) {
    tradewind_comm* comm = NULL;
    int rank = 0;
    expect(TRADEWIND_WRONG_INPUT, tradewind_comm_world(&comm), "MPI has not been started");
    expect(TRADEWIND_OK, tradewind_finalize(), "");
    expect(TRADEWIND_OK, tradewind_init(), "");
    expect(TRADEWIND_OK, tradewind_comm_world(&comm), "");
    expect(TRADEWIND_OK, tradewind_comm_rank(comm, &rank), "");

    // The first rank sends more than the other one expects; the default error handler of MPI would
    // end the job.
    const int other = 1 - rank;
    const int64_t sent = rank == 0 ? 100 : 10;
    const int64_t received = 10;
    double out[100] = {0};
    double in[100] = {0};
    const int code =
        tradewind_neighbor_exchange(comm, 1, &other, out, &sent, in, &received, TRADEWIND_DOUBLE);
    expect(rank == 0 ? TRADEWIND_OK : TRADEWIND_FAILED, code,
           "tradewind_neighbor_exchange: rank 1: receive of at most 80 bytes from rank 0");
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
    if (handler != MPI_ERRORS_ARE_FATAL) wrong = 1;

    expect(TRADEWIND_OK, tradewind_barrier(comm, NULL), "");
    expect(TRADEWIND_OK, tradewind_finalize(), "");
    expect(TRADEWIND_WRONG_INPUT, tradewind_barrier(comm, NULL), "MPI has been ended");
    expect(TRADEWIND_WRONG_INPUT, tradewind_init(), "cannot be started again");
    expect(TRADEWIND_OK, tradewind_comm_free(&comm), "");
    printf("version %s: %s\n", tradewind_version(), wrong ? "WRONG" : "as expected");
    return wrong;
}

/* Programs whose recording costs something: `calls N`, and `halo STEPS SIDE [SHARE]`, a halo
 * exchange of one row of SIDE doubles with four neighbours and a sweep over SHARE of SIDE x SIDE
 * points. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 20 };
static int rank, size;

/* Returns nanoseconds per call of messages that MPI does not send: what remains is its entry. */
static double time_calls(long count) {
    char data[8];
    const MPI_Comm self = MPI_COMM_SELF;
    const double begin = MPI_Wtime();
    for (long i = 0; i < count / 4; ++i) {
        MPI_Request request;
        MPI_Irecv(data, 8, MPI_BYTE, MPI_PROC_NULL, 0, self, &request);
        MPI_Send(data, 8, MPI_BYTE, MPI_PROC_NULL, 0, self);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Barrier(self);
    }
    return (MPI_Wtime() - begin) / (double)count * 1e9;
}

static void exchange(double* grid, int side) {
    MPI_Request requests[8];
    const int strides[4] = {1, -1, 2, -2};
    for (int i = 0; i < 4; ++i) {
        const int peer = ((rank + strides[i]) % size + size) % size;
        MPI_Irecv(grid + i * side, side, MPI_DOUBLE, peer, i, MPI_COMM_WORLD, &requests[i]);
    }
    for (int i = 0; i < 4; ++i) {
        const int peer = ((rank - strides[i]) % size + size) % size;
        MPI_Isend(grid + (4 + i) * side, side, MPI_DOUBLE, peer, i, MPI_COMM_WORLD,
                  &requests[4 + i]);
    }
    MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
}

/* Returns the seconds of a step, in the fastest block of some steps. */
static double time_halo(int steps, int side, double share) {
    const long points = (long)(share * side * side);
    double *grid = calloc((size_t)points + 16 * (size_t)side, sizeof *grid), fastest = 1e9;
    for (int block = 0; block < steps / BLOCK; ++block) {
        const double begin = MPI_Wtime();
        for (int i = 0; i < BLOCK; ++i) {
            exchange(grid, side);
            for (long at = 9L * side; at < 9L * side + points; ++at)
                grid[at] = 0.5 * grid[at] + 0.25 * (grid[at - 1] + grid[at + 1]);
            double sum = grid[0], all;
            MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        }
        const double time = (MPI_Wtime() - begin) / BLOCK;
        if (time < fastest) fastest = time;
    }
    free(grid);
    return fastest;
}

int main(int count, char** words) {
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double result = 1e99;
    if (count > 2 && !strcmp(words[1], "calls")) {
        for (int i = 0; i < 10; ++i) {
            const double time = time_calls(atol(words[2]) / 10);
            if (time < result) result = time;
        }
    } else if (count > 3) {
        result = time_halo(atoi(words[2]), atoi(words[3]), count > 4 ? atof(words[4]) : 1.0);
    }
    if (rank == 0) printf("%.9g\n", result);
    MPI_Finalize();
    return 0;
}

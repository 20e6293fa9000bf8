// ranks: 4
/// C: diffusion on a periodic grid; a wide halo is exchanged once for every four time steps.
#include <stdio.h>
#include <stdlib.h>
#include <tradewind.h>

enum { NX = 48, NY = 36, WIDTH = 4, ROUNDS = 5 };

/// The library never ends a process: that is up to the application.
static void check(int code) {
    if (code == TRADEWIND_OK) return;
    fprintf(stderr, "%s\n", tradewind_last_error());
    MPI_Abort(MPI_COMM_WORLD, code);
}

/// Advances all points that are `margin` or more away from the end of the array.
static void step(const double* from, double* to, const tradewind_box* held, int margin) {
    const int64_t nx = held->points[0];
    for (int64_t j = margin; j < held->points[1] - margin; ++j) {
        for (int64_t i = margin; i < nx - margin; ++i) {
            const double* at = from + j * nx + i;
            to[j * nx + i] = at[0] + 0.2 * (at[-1] + at[1] + at[-nx] + at[nx] - 4.0 * at[0]);
        }
    }
}

/// The largest value, and the sum, of the points that this rank owns.
static void measure(const double* values, const tradewind_box* held, double* most, double* sum) {
    *most = 0.0;
    *sum = 0.0;
    for (int64_t j = WIDTH; j < held->points[1] - WIDTH; ++j) {
        for (int64_t i = WIDTH; i < held->points[0] - WIDTH; ++i) {
            const double value = values[j * held->points[0] + i];
            *sum += value;
            if (value > *most) *most = value;
        }
    }
}

int main(int count, char** arguments) {
    MPI_Init(&count, &arguments);
    tradewind_comm* comm = NULL;
    tradewind_halo* halo = NULL;
    tradewind_box owned, held;
    int rank = 0;
    const tradewind_grid grid = {
        .nx = NX, .ny = NY, .nz = 1, .width = WIDTH, .fields = 1, .type = TRADEWIND_DOUBLE};
    check(tradewind_comm_create(MPI_COMM_WORLD, &comm));
    check(tradewind_comm_rank(comm, &rank));
    check(tradewind_halo_create(comm, &grid, &halo));
    check(tradewind_halo_boxes(halo, &owned, &held));

    const size_t points = (size_t)(held.points[0] * held.points[1]);
    double* now = calloc(points, sizeof *now);
    double* next = calloc(points, sizeof *next);
    // One point of the grid is hot; its owner sets it.
    const int64_t x = NX / 2 - owned.first[0];
    const int64_t y = NY / 2 - owned.first[1];
    if (x >= 0 && x < owned.points[0] && y >= 0 && y < owned.points[1])
        now[(y + WIDTH) * held.points[0] + x + WIDTH] = 1000.0;

    for (int round = 0; round < ROUNDS; ++round) {
        check(tradewind_halo_exchange(halo, now));
        for (int margin = 1; margin <= WIDTH; ++margin) {
            step(now, next, &held, margin);
            double* const old = now;
            now = next;
            next = old;
        }
    }
    double most = 0.0;
    double sum = 0.0;
    measure(now, &held, &most, &sum);
    check(tradewind_allreduce(comm, &most, 1, TRADEWIND_DOUBLE, TRADEWIND_MAX, NULL));
    check(tradewind_allreduce(comm, &sum, 1, TRADEWIND_DOUBLE, TRADEWIND_SUM, "exchsum"));
    if (rank == 0) printf("after %d steps: sum %.6f, maximum %.6f\n", ROUNDS * WIDTH, sum, most);

    free(now);
    free(next);
    check(tradewind_halo_free(&halo));
    check(tradewind_comm_free(&comm));
    MPI_Finalize();
    return 0;
}

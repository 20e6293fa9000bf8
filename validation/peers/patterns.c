/* The communication patterns of the comparison as plain MPI, written for it and independent of
   Tradewind: a check of the algorithms as well as of the networks.

       patterns pingpong BYTES                    ranks 0 and p-1, one message each way
       patterns alltoall RADIX BYTES              ring-k over all ranks, BYTES per pair
       patterns transposition CX CY NX NY NZ RADIX
       patterns halo CX CY NX NY NZ WIDTH
       patterns allreduce BYTES                   recursive doubling, p a power of two

   Fields have 8 bytes per point, and process grids divide them evenly. All ranks begin at the same
   moment; the time of the last one to end is printed as JSON. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { POINT_BYTES = 8, MOST_ARGUMENTS = 6 };

/* A rank and its memory; nothing is global, so that all ranks can share one process. */
typedef struct {
    int rank, ranks;
    char *outgoing, *incoming;
} Self;

static char* allocate(long bytes) {
    char* const memory = malloc(bytes > 0 ? (size_t)bytes : 1);
    if (memory == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
    return memory;
}

/* A stage of ring-k: `members` ranks first, first + stride, ...; one block for each pair. */
static void exchange_blocks(const Self* self, int first, int stride, int members, int radix,
                            int bytes) {
    const int me = (self->rank - first) / stride;
    MPI_Request* const requests = malloc(sizeof(MPI_Request) * 2 * (size_t)radix);
    for (int begin = 1; begin < members; begin += radix) {
        const int end = begin + radix < members ? begin + radix : members;
        int count = 0;
        for (int i = begin; i < end; ++i) {
            const int from = (me - i + members) % members;
            MPI_Irecv(self->incoming + (long)from * bytes, bytes, MPI_BYTE, first + from * stride,
                      0, MPI_COMM_WORLD, &requests[count++]);
        }
        for (int i = begin; i < end; ++i) {
            const int to = (me + i) % members;
            MPI_Isend(self->outgoing + (long)to * bytes, bytes, MPI_BYTE, first + to * stride, 0,
                      MPI_COMM_WORLD, &requests[count++]);
        }
        MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
    }
    free(requests);
}

static void pingpong(const Self* self, const int* n) {
    const int last = self->ranks - 1;
    if (self->rank == 0) {
        MPI_Send(self->outgoing, n[0], MPI_BYTE, last, 0, MPI_COMM_WORLD);
        MPI_Recv(self->incoming, n[0], MPI_BYTE, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (self->rank == last) {
        MPI_Recv(self->incoming, n[0], MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(self->outgoing, n[0], MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    }
}

static void alltoall(const Self* self, const int* n) {
    exchange_blocks(self, 0, 1, self->ranks, n[0], n[1]);
}

/* The distributions (x over cx, y over cy), (z, y), (z, x), (y, x) one after another. */
static void transposition(const Self* self, const int* n) {
    const int cx = n[0], cy = n[1], radix = n[5];
    const long local = (long)n[2] * n[3] * n[4] * POINT_BYTES / self->ranks;
    const int row = self->rank / cx * cx, column = self->rank % cx;
    exchange_blocks(self, row, 1, cx, radix, (int)(local / cx));
    exchange_blocks(self, column, cx, cy, radix, (int)(local / cy));
    exchange_blocks(self, row, 1, cx, radix, (int)(local / cx));
}

/* Both neighbours of one axis, `apart` ranks away in a line of `members`. */
static void swap_faces(const Self* self, int position, int members, int apart, int bytes) {
    const int up = position + 1 < members ? self->rank + apart : self->rank - (members - 1) * apart;
    const int down = position > 0 ? self->rank - apart : self->rank + (members - 1) * apart;
    MPI_Request requests[4];
    MPI_Irecv(self->incoming, bytes, MPI_BYTE, down, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(self->incoming + bytes, bytes, MPI_BYTE, up, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(self->outgoing, bytes, MPI_BYTE, up, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(self->outgoing + bytes, bytes, MPI_BYTE, down, 1, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

static long face_bytes(const int* n, int axis) {
    const long columns = n[2] / n[0], rows = n[3] / n[1];
    return (axis == 0 ? rows : columns + 2 * n[5]) * n[5] * n[4] * POINT_BYTES;
}

/* First in x; then in y, with the columns that have come. */
static void halo(const Self* self, const int* n) {
    swap_faces(self, self->rank % n[0], n[0], 1, (int)face_bytes(n, 0));
    swap_faces(self, self->rank / n[0], n[1], n[0], (int)face_bytes(n, 1));
}

static void allreduce(const Self* self, const int* n) {
    for (int distance = 1; distance < self->ranks; distance *= 2) {
        MPI_Sendrecv(self->outgoing, n[0], MPI_BYTE, self->rank ^ distance, 0, self->incoming, n[0],
                     MPI_BYTE, self->rank ^ distance, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static long pair_bytes(const int* n, int ranks) {
    (void)ranks;
    return n[0];
}
static long alltoall_bytes(const int* n, int ranks) {
    return (long)n[1] * ranks;
}
static long field_bytes(const int* n, int ranks) {
    return (long)n[2] * n[3] * n[4] * POINT_BYTES / ranks;
}
static long halo_bytes(const int* n, int ranks) {
    const long x = face_bytes(n, 0), y = face_bytes(n, 1);
    (void)ranks;
    return 2 * (x > y ? x : y);
}

typedef struct {
    const char* name;
    int arguments;
    long (*memory)(const int* n, int ranks);
    void (*run)(const Self* self, const int* n);
} Pattern;

static const Pattern patterns[] = {
    {"pingpong", 1, pair_bytes, pingpong},
    {"alltoall", 2, alltoall_bytes, alltoall},
    {"transposition", 6, field_bytes, transposition},
    {"halo", 6, halo_bytes, halo},
    {"allreduce", 1, pair_bytes, allreduce},
};

static const Pattern* find(int count, char** arguments) {
    for (size_t i = 0; count > 1 && i < sizeof patterns / sizeof *patterns; ++i) {
        const Pattern* const pattern = &patterns[i];
        if (strcmp(arguments[1], pattern->name) == 0 && count == 2 + pattern->arguments)
            return pattern;
    }
    return NULL;
}

/* Sleeps, in simulated time, until the same moment on all ranks. */
static double begin_together(void) {
    const struct timespec rest = {0, (long)((0.5 - MPI_Wtime()) * 1e9 + 0.5)};
    nanosleep(&rest, NULL);
    return MPI_Wtime();
}

int main(int count, char** arguments) {
    MPI_Init(&count, &arguments);
    Self self = {0, 1, NULL, NULL};
    MPI_Comm_rank(MPI_COMM_WORLD, &self.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &self.ranks);
    const Pattern* const pattern = find(count, arguments);
    if (pattern == NULL) {
        if (self.rank == 0) fprintf(stderr, "patterns: unknown pattern or number of arguments\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    int n[MOST_ARGUMENTS] = {0};
    for (int i = 0; i < pattern->arguments; ++i) n[i] = atoi(arguments[2 + i]);
    self.outgoing = allocate(pattern->memory(n, self.ranks));
    self.incoming = allocate(pattern->memory(n, self.ranks));

    const double start = begin_together();
    pattern->run(&self, n);
    const double taken = MPI_Wtime() - start;

    double last = 0.0;
    MPI_Reduce(&taken, &last, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (self.rank == 0) printf("{\"time_s\": %.13e}\n", last);
    free(self.outgoing);
    free(self.incoming);
    MPI_Finalize();
    return 0;
}

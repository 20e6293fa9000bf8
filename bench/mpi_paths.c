/* Probes the path of messages between processes of one machine.
 *
 *     mpi_paths message AWAY_MS REPETITIONS BYTES...          on 2 processes
 *     mpi_paths exchange AWAY_MS STEPS BYTES WAY...           on any number
 *
 * "Away" means asleep outside of MPI, as a model is that computes. Sleeping needs no core, so that
 * more processes than cores do not take turns.
 *
 * message: rank 0 sends to rank 1, medians over the repetitions.
 *
 *     send_s       time until a send is complete whose receiver is away: short if the library keeps
 *                  the data, as long as the absence if the receiver has to take part
 *     receive_s    time of a receive whose sender is away after MPI_Isend: short if the receiver
 *                  gets the data by itself, as long as the absence if the sender has to push them
 *     half_round_s half a round trip of both
 *
 * exchange: each rank exchanges with the ranks at a distance of 1 and 2, then it is away, in turns
 * for a tenth more or less than AWAY_MS.
 *
 *     paper        MPI_Isend to all, then MPI_Recv from one after the other; the sends are completed
 *                  by the next exchange
 *     completed    the same, but the sends are completed at the end
 *     fair         all MPI_Irecv, all MPI_Isend, MPI_Waitall
 *     collective   MPI_Neighbor_alltoallv
 *
 * Rank 0 prints a line of JSON for each size, or for each way: exchange_s is the mean over ranks
 * and steps of the time of an exchange, each way run forwards and backwards.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { round_trips = 200, most_neighbors = 4 };

static void be_away(double milliseconds) {
    struct timespec pause;
    if (milliseconds <= 0.0) return;
    pause.tv_sec = (time_t)(milliseconds / 1000);
    pause.tv_nsec = (long)((milliseconds - 1000.0 * (double)pause.tv_sec) * 1e6);
    nanosleep(&pause, NULL);
}

static int compare(const void* a, const void* b) {
    const double x = *(const double*)a;
    const double y = *(const double*)b;
    return (x > y) - (x < y);
}

static double median(double* values, int count) {
    qsort(values, (size_t)count, sizeof *values, compare);
    return values[count / 2];
}

/* Returns on rank 0 the time until a send is complete. */
static double send_to_absent(int rank, char* data, int bytes, double away_ms) {
    double begin = 0.0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        be_away(away_ms);
        MPI_Recv(data, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return 0.0;
    }
    begin = MPI_Wtime();
    MPI_Send(data, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    return MPI_Wtime() - begin;
}

/* Returns on rank 0 the time of the receive on rank 1. */
static double receive_from_absent(int rank, char* data, int bytes, double away_ms) {
    double begin = 0.0;
    double time = 0.0;
    MPI_Request send;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        /* The send has begun before the receive. */
        be_away(0.2 * away_ms);
        begin = MPI_Wtime();
        MPI_Recv(data, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        time = MPI_Wtime() - begin;
        MPI_Send(&time, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
        return time;
    }
    MPI_Isend(data, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &send);
    be_away(1.2 * away_ms);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    MPI_Recv(&time, 1, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return time;
}

static double half_round(int rank, char* data, int bytes) {
    static double times[round_trips];
    for (int i = 0; i < round_trips; ++i) {
        const double begin = MPI_Wtime();
        if (rank == 0) {
            MPI_Send(data, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
            MPI_Recv(data, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(data, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(data, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        }
        times[i] = 0.5 * (MPI_Wtime() - begin);
    }
    return median(times, round_trips);
}

static void probe(int rank, int bytes, double away_ms, int repetitions) {
    char* const data = calloc((size_t)bytes + 1, 1);
    double* const sends = malloc(sizeof(double) * (size_t)repetitions);
    double* const receives = malloc(sizeof(double) * (size_t)repetitions);
    for (int i = 0; i < repetitions; ++i) sends[i] = send_to_absent(rank, data, bytes, away_ms);
    for (int i = 0; i < repetitions; ++i)
        receives[i] = receive_from_absent(rank, data, bytes, away_ms);
    const double round = half_round(rank, data, bytes);
    if (rank == 0) {
        printf("{\"bytes\": %d, \"send_s\": %.9g, \"receive_s\": %.9g, \"half_round_s\": %.9g}\n",
               bytes, median(sends, repetitions), median(receives, repetitions), round);
        fflush(stdout);
    }
    free(receives);
    free(sends);
    free(data);
}

/* The neighbours of a rank in ascending order, and the buffers and requests of its messages. */
struct exchange {
    MPI_Comm graph;
    int rank;
    int neighbors[most_neighbors];
    int counts[most_neighbors];
    int places[most_neighbors];
    int count;
    int bytes;
    char* out;
    char* in;
    MPI_Request sends[most_neighbors];
};

static void prepare(struct exchange* all, int rank, int size, int bytes) {
    memset(all, 0, sizeof *all);
    all->rank = rank;
    all->bytes = bytes;
    for (int other = 0; other < size; ++other) {
        const int apart = (other - rank + size) % size;
        const int is_near = apart <= 2 || size - apart <= 2;
        if (other == rank || !is_near) continue;
        all->neighbors[all->count] = other;
        all->counts[all->count] = bytes;
        all->places[all->count] = all->count * bytes;
        all->sends[all->count++] = MPI_REQUEST_NULL;
    }
    all->out = calloc((size_t)(all->count * bytes) + 1, 1);
    all->in = calloc((size_t)(all->count * bytes) + 1, 1);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, all->count, all->neighbors, all->counts,
                                   all->count, all->neighbors, all->counts, MPI_INFO_NULL, 0,
                                   &all->graph);
}

static void start_sends(struct exchange* all) {
    for (int n = 0; n < all->count; ++n)
        MPI_Isend(all->out + all->places[n], all->bytes, MPI_BYTE, all->neighbors[n], 2,
                  MPI_COMM_WORLD, &all->sends[n]);
}

static void complete_sends(struct exchange* all) {
    MPI_Waitall(all->count, all->sends, MPI_STATUSES_IGNORE);
}

static void receive_in_order(struct exchange* all) {
    for (int n = 0; n < all->count; ++n)
        MPI_Recv(all->in + all->places[n], all->bytes, MPI_BYTE, all->neighbors[n], 2,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void exchange_as_paper(struct exchange* all) {
    complete_sends(all);
    start_sends(all);
    receive_in_order(all);
}

static void exchange_completed(struct exchange* all) {
    start_sends(all);
    receive_in_order(all);
    complete_sends(all);
}

static void exchange_fair(struct exchange* all) {
    MPI_Request receives[most_neighbors];
    for (int n = 0; n < all->count; ++n)
        MPI_Irecv(all->in + all->places[n], all->bytes, MPI_BYTE, all->neighbors[n], 2,
                  MPI_COMM_WORLD, &receives[n]);
    start_sends(all);
    MPI_Waitall(all->count, receives, MPI_STATUSES_IGNORE);
    complete_sends(all);
}

static void exchange_collective(struct exchange* all) {
    MPI_Neighbor_alltoallv(all->out, all->counts, all->places, MPI_BYTE, all->in, all->counts,
                           all->places, MPI_BYTE, all->graph);
}

struct way {
    const char* name;
    void (*run)(struct exchange* all);
};
static const struct way ways[] = {{"paper", exchange_as_paper},
                                  {"completed", exchange_completed},
                                  {"fair", exchange_fair},
                                  {"collective", exchange_collective}};

static const struct way* find_way(const char* name) {
    for (size_t n = 0; n < sizeof ways / sizeof *ways; ++n)
        if (strcmp(ways[n].name, name) == 0) return &ways[n];
    fprintf(stderr, "mpi_paths: there is no way %s\n", name);
    MPI_Abort(MPI_COMM_WORLD, 2);
    return NULL;
}

/* Sets mean and median of the times of an exchange on this rank. */
static void run_steps(struct exchange* all, const struct way* way, double away_ms, int steps,
                      double result[2]) {
    double* const times = calloc((size_t)steps + 1, sizeof(double));
    double sum = 0.0;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int step = 0; step < steps; ++step) {
        const double begin = MPI_Wtime();
        way->run(all);
        times[step] = MPI_Wtime() - begin;
        sum += times[step];
        be_away(away_ms * ((all->rank + step) % 2 == 0 ? 0.9 : 1.1));
    }
    complete_sends(all);
    result[0] = steps > 0 ? sum / steps : 0.0;
    result[1] = steps > 0 ? median(times, steps) : 0.0;
    free(times);
}

static void probe_exchange(int rank, int size, int count, char** words) {
    struct exchange all;
    const double away_ms = atof(words[0]);
    const int steps = atoi(words[1]);
    const int given = count - 3;
    double* const results = calloc((size_t)(2 * given), sizeof(double));
    prepare(&all, rank, size, atoi(words[2]));
    for (int turn = 0; turn < 2 * given; ++turn) {
        const int place = turn < given ? turn : 2 * given - 1 - turn;
        double own[2];
        double sums[2];
        run_steps(&all, find_way(words[3 + place]), away_ms, steps, own);
        MPI_Allreduce(own, sums, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        for (int n = 0; n < 2; ++n) results[2 * place + n] += 0.5 * sums[n] / size;
    }
    for (int n = 0; n < given && rank == 0; ++n)
        printf("{\"way\": \"%s\", \"exchange_s\": %.9g, \"median_s\": %.9g}\n", words[3 + n],
               results[2 * n], results[2 * n + 1]);
    fflush(stdout);
    MPI_Comm_free(&all.graph);
    free(results);
    free(all.out);
    free(all.in);
}

static void probe_messages(int rank, int count, char** words) {
    for (int n = 2; n < count; ++n) probe(rank, atoi(words[n]), atof(words[0]), atoi(words[1]));
}

int main(int count, char** words) {
    int rank = 0;
    int size = 0;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (count >= 5 && strcmp(words[1], "message") == 0 && size == 2) {
        probe_messages(rank, count - 2, words + 2);
    } else if (count >= 6 && strcmp(words[1], "exchange") == 0) {
        probe_exchange(rank, size, count - 2, words + 2);
    } else {
        if (rank == 0)
            fprintf(stderr,
                    "usage: mpi_paths message AWAY_MS REPETITIONS BYTES...    (2 processes)\n"
                    "       mpi_paths exchange AWAY_MS STEPS BYTES WAY...\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Finalize();
    return 0;
}

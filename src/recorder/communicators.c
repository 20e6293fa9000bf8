/* The communicators and windows that this rank has, with their ranks in MPI_COMM_WORLD. */
#include <stdlib.h>
#include <string.h>

#include "recorder.h"

static struct communicator** communicators;
static int communicator_count;
static int64_t next_communicator;
static struct window** windows;
static int window_count;
static int64_t next_window;

uint64_t bits_of(const void* handle, size_t size) {
    uint64_t bits = 0;
    memcpy(&bits, handle, size < sizeof bits ? size : sizeof bits);
    return bits;
}

/* Finds the ranks of a group in MPI_COMM_WORLD; false if one is not there. */
static bool world_ranks(MPI_Comm comm, int size, int64_t* result) {
    MPI_Group group, world;
    int *own = malloc(2 * (size_t)size * sizeof *own), *there = own + size;
    if (!own) return false;
    for (int i = 0; i < size; ++i) own[i] = i;
    real.Comm_group(comm, &group);
    real.Comm_group(MPI_COMM_WORLD, &world);
    real.Group_translate_ranks(group, size, own, world, there);
    real.Group_free(&group);
    real.Group_free(&world);
    bool is_inside = true;
    for (int i = 0; i < size; ++i) {
        result[i] = there[i];
        is_inside = is_inside && there[i] != MPI_UNDEFINED;
    }
    free(own);
    return is_inside;
}

/* Writes number and ranks of a communicator. */
static void define_communicator(struct communicator* made, MPI_Comm comm) {
    int64_t* ranks = malloc((size_t)made->size * sizeof *ranks);
    made->is_foreign = !ranks || !world_ranks(comm, made->size, ranks);
    if (!made->is_foreign) {
        made->number = next_communicator++;
        define(DEFINITION_communicator, (const void*[]){&made->number, ranks},
               (size_t[]){sizeof made->number, (size_t)made->size * sizeof *ranks}, 2);
    }
    free(ranks);
}

static struct communicator nothing = {.number = -1, .is_foreign = true};

static struct communicator* add_communicator(MPI_Comm comm) {
    struct communicator* made = calloc(1, sizeof *made);
    struct communicator** more =
        realloc(communicators, (size_t)(communicator_count + 1) * sizeof *more);
    if (more) communicators = more;
    if (!made || !more) return free(made), NULL;
    *made = (struct communicator){.handle = BITS(comm), .number = -1, .is_foreign = true};
    return communicators[communicator_count++] = made;
}

struct communicator* new_communicator(MPI_Comm comm) {
    struct communicator* made = comm == MPI_COMM_NULL ? NULL : add_communicator(comm);
    if (!made) return &nothing;
    int is_inter = 0;
    real.Comm_test_inter(comm, &is_inter);
    real.Comm_rank(comm, &made->rank);
    real.Comm_size(comm, &made->size);
    if (!is_inter) define_communicator(made, comm);
    return made;
}

struct communicator* copied_communicator(MPI_Comm comm, MPI_Comm like) {
    const struct communicator* parent = communicator_of(like);
    struct communicator* made = add_communicator(comm);
    if (!made) return &nothing;
    made->rank = parent->rank;
    made->size = parent->size;
    if (!parent->is_foreign) define_communicator(made, like);
    return made;
}

struct communicator* communicator_of(MPI_Comm comm) {
    static struct communicator* last = &nothing;
    const uint64_t handle = BITS(comm);
    if (last != &nothing && last->handle == handle) return last;
    for (int i = communicator_count; i-- > 0;)
        if (communicators[i]->handle == handle) return last = communicators[i];
    return last = new_communicator(comm);
}

void forget_communicator(MPI_Comm comm) {
    const uint64_t handle = BITS(comm);
    for (int i = 0; i < communicator_count; ++i) {
        if (communicators[i]->handle != handle) continue;
        /* A window or a request may still name it. */
        communicators[i]->handle = UINT64_MAX;
        communicators[i] = communicators[--communicator_count];
        return;
    }
}

/* Makes room for the neighbours. */
static bool has_room(struct communicator* found, int destinations, int sources) {
    found->destination_count = destinations;
    found->source_count = sources;
    found->destinations = calloc((size_t)destinations + 1, sizeof(int));
    found->sources = calloc((size_t)sources + 1, sizeof(int));
    if (found->destinations && found->sources) return true;
    found->destination_count = found->source_count = 0;
    return false;
}

static void copy_sources(struct communicator* found) {
    memcpy(found->sources, found->destinations, (size_t)found->source_count * sizeof(int));
}

void find_neighbors(MPI_Comm comm, struct communicator* found) {
    if (found->has_neighbors) return;
    found->has_neighbors = true;
    int topology = MPI_UNDEFINED, count = 0;
    real.Topo_test(comm, &topology);
    if (topology == MPI_CART) {
        found->has_grid = true;
        real.Cartdim_get(comm, &count);
        if (!has_room(found, 2 * count, 2 * count)) return;
        for (int i = 0; i < count; ++i)
            real.Cart_shift(comm, i, 1, &found->destinations[2 * i],
                            &found->destinations[2 * i + 1]);
        copy_sources(found);
    } else if (topology == MPI_GRAPH) {
        real.Graph_neighbors_count(comm, found->rank, &count);
        if (!has_room(found, count, count)) return;
        real.Graph_neighbors(comm, found->rank, count, found->destinations);
        copy_sources(found);
    } else if (topology == MPI_DIST_GRAPH) {
        int in = 0, out = 0, is_weighted = 0;
        real.Dist_graph_neighbors_count(comm, &in, &out, &is_weighted);
        if (!has_room(found, out, in)) return;
        int* weights = calloc((size_t)(in + out) + 1, sizeof *weights);
        if (!weights) return;
        real.Dist_graph_neighbors(comm, in, found->sources, weights, out, found->destinations,
                                  weights + in);
        free(weights);
    }
}

int64_t* window_peers(struct event* event, MPI_Group group, MPI_Win win,
                      const struct window* window) {
    MPI_Group all;
    int count = 0;
    real.Group_size(group, &count);
    int64_t* arguments = arguments_of(event, 1 + count);
    int *own = malloc(2 * (size_t)(count + 1) * sizeof *own), *there = own + count;
    if (!own) return arguments;
    for (int i = 0; i < count; ++i) own[i] = i;
    real.Win_get_group(win, &all);
    real.Group_translate_ranks(group, count, own, all, there);
    real.Group_free(&all);
    for (int64_t i = 0; i < event->count - 1; ++i) arguments[1 + i] = there[i] - window->comm->rank;
    free(own);
    return arguments;
}

struct window* new_window(MPI_Win win, MPI_Comm comm) {
    static struct window nothing = {.number = -1};
    struct window* made = calloc(1, sizeof *made);
    struct window** more = realloc(windows, (size_t)(window_count + 1) * sizeof *more);
    if (more) windows = more;
    if (!made || !more) return free(made), &nothing;
    *made = (struct window){BITS(win), next_window++, communicator_of(comm)};
    windows[window_count++] = made;
    return made;
}

struct window* window_of(MPI_Win win) {
    const uint64_t handle = BITS(win);
    for (int i = window_count; i-- > 0;)
        if (windows[i]->handle == handle) return windows[i];
    return NULL;
}

void forget_window(MPI_Win win) {
    const uint64_t handle = BITS(win);
    for (int i = 0; i < window_count; ++i)
        if (windows[i]->handle == handle) {
            windows[i] = windows[--window_count];
            return;
        }
}

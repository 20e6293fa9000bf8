/* What a call of MPI is, in the words of calls.txt. */
#ifndef TRADEWIND_RECORD_H
#define TRADEWIND_RECORD_H

#include <stdlib.h>
#include <string.h>

#include "recorder.h"

/* Numbers of the width that a function of MPI takes: int, or MPI_Count. */
struct numbers {
    const void* data;
    size_t width;
    bool is_one;
};
#define NUMBERS(array) ((struct numbers){(array), sizeof *(array), false})
#define SAME(number) ((struct numbers){&(number), sizeof(number), true})
#define BYTES(count, type) ((int64_t)(count) * size_of(type))

static inline int64_t number_of(struct numbers numbers, int i) {
    if (!numbers.data) return 0;
    if (numbers.is_one) i = 0;
    return numbers.width == sizeof(int) ? ((const int*)numbers.data)[i]
                                        : (int64_t)((const MPI_Count*)numbers.data)[i];
}

static inline int64_t size_of(MPI_Datatype type) {
    int size = 0;
    real.Type_size(type, &size);
    if (size >= 0) return size;
    MPI_Count large = 0;
    real.Type_size_x(type, &large);
    return large;
}

/* Sets call and communicator; false if the communicator cannot be recorded. */
static inline bool in_comm(struct event* e, int64_t call, const struct communicator* comm) {
    e->call = call;
    e->comm = comm->number;
    e->rank = comm->rank;
    if (!comm->is_foreign) return true;
    ++header->foreign;
    other(e);
    return false;
}

static inline void set_message(int64_t* to, int64_t peer, int64_t rank, int64_t tag,
                               int64_t bytes) {
    const bool is_null = peer == MPI_PROC_NULL;
    to[0] = is_null ? NO_PEER : peer == MPI_ANY_SOURCE ? UNRESOLVED : peer - rank;
    to[1] = is_null ? 0 : tag == MPI_ANY_TAG ? UNRESOLVED : tag;
    to[2] = is_null ? 0 : bytes;
}

static inline int64_t wildcard(int peer, int tag) {
    const bool is_any = peer == MPI_ANY_SOURCE || tag == MPI_ANY_TAG;
    return is_any && peer != MPI_PROC_NULL ? FLAG_wildcard : 0;
}

static inline void set_status(int64_t* to, int64_t rank, int peer, const MPI_Status* status) {
    MPI_Count bytes = 0;
    if (peer != MPI_PROC_NULL) real.Get_elements_x(status, MPI_BYTE, &bytes);
    set_message(to, peer == MPI_PROC_NULL ? peer : status->MPI_SOURCE, rank, status->MPI_TAG,
                bytes);
}

static inline void message(struct event* e, int64_t call, MPI_Comm comm, int peer, int tag,
                           int64_t bytes) {
    if (in_comm(e, call, communicator_of(comm)))
        set_message(arguments_of(e, 3), peer, e->rank, tag, bytes);
}

static inline void received(struct event* e, int64_t call, MPI_Comm comm, int peer, int tag,
                            const MPI_Status* status) {
    e->flags = wildcard(peer, tag);
    if (in_comm(e, call, communicator_of(comm)))
        set_status(arguments_of(e, 3), e->rank, peer, status);
}

static inline void posted(struct event* e, MPI_Comm comm, int peer, int tag, int64_t bytes) {
    e->flags = wildcard(peer, tag);
    message(e, CALL_recv, comm, peer, tag, bytes);
}

static inline void exchanged(struct event* e, MPI_Comm comm, int to, int out_tag, int64_t bytes,
                             int from, int in_tag, const MPI_Status* status) {
    e->flags = wildcard(from, in_tag);
    if (!in_comm(e, CALL_sendrecv, communicator_of(comm))) return;
    int64_t* arguments = arguments_of(e, 6);
    set_message(arguments, to, e->rank, out_tag, bytes);
    set_status(arguments + 3, e->rank, from, status);
}

static inline void posted_exchange(struct event* e, MPI_Comm comm, int to, int out_tag,
                                   int64_t bytes, int from, int in_tag, int64_t in_bytes) {
    e->flags = wildcard(from, in_tag);
    if (!in_comm(e, CALL_sendrecv, communicator_of(comm))) return;
    int64_t* arguments = arguments_of(e, 6);
    set_message(arguments, to, e->rank, out_tag, bytes);
    set_message(arguments + 3, from, e->rank, in_tag, in_bytes);
}

static inline void probed(struct event* e, MPI_Comm comm, int peer, int tag,
                          const MPI_Status* status) {
    received(e, CALL_probe, comm, peer, tag, status);
    e->flags |= FLAG_timing;
}

static inline void none(struct event* e, int64_t call, MPI_Comm comm) {
    if (in_comm(e, call, communicator_of(comm))) arguments_of(e, 0);
}

static inline void sized(struct event* e, int64_t call, MPI_Comm comm, int64_t bytes) {
    if (in_comm(e, call, communicator_of(comm))) *arguments_of(e, 1) = bytes;
}

static inline void rooted(struct event* e, int64_t call, MPI_Comm comm, int root, int64_t bytes) {
    if (!in_comm(e, call, communicator_of(comm))) return;
    int64_t* arguments = arguments_of(e, 2);
    arguments[0] = root;
    arguments[1] = bytes;
}

/* Sets a root, the own bytes, and at the root the counts of all; `bytes` is -1 if in place. */
static inline void rooted_counts(struct event* e, int64_t call, MPI_Comm comm, int root,
                                 int64_t bytes, struct numbers counts, MPI_Datatype type) {
    const struct communicator* found = communicator_of(comm);
    if (!in_comm(e, call, found)) return;
    const int size = found->rank == root ? found->size : 0;
    int64_t* arguments = arguments_of(e, 2 + size);
    if (e->count != 2 + size) return;
    const int64_t unit = size ? size_of(type) : 0;
    for (int i = 0; i < size; ++i) arguments[2 + i] = number_of(counts, i) * unit;
    arguments[0] = root;
    arguments[1] = bytes < 0 && size ? arguments[2 + root] : bytes;
}

static inline void counted(struct event* e, int64_t call, MPI_Comm comm, struct numbers counts,
                           MPI_Datatype type) {
    const struct communicator* found = communicator_of(comm);
    if (!in_comm(e, call, found)) return;
    int64_t* arguments = arguments_of(e, found->size);
    const int64_t unit = size_of(type);
    for (int64_t i = 0; i < e->count; ++i) arguments[i] = number_of(counts, (int)i) * unit;
}

/* Sets the bytes to each rank and from each; `stride` is 1 if each has a type of its own. */
static inline void blocks(struct event* e, MPI_Comm comm, bool is_in_place, struct numbers out,
                          const MPI_Datatype* out_types, int stride, struct numbers in,
                          const MPI_Datatype* in_types, int in_stride) {
    const struct communicator* found = communicator_of(comm);
    if (!in_comm(e, CALL_alltoallv, found)) return;
    int64_t* arguments = arguments_of(e, 2 * (int64_t)found->size);
    for (int i = 0; i < found->size && e->count; ++i) {
        arguments[found->size + i] = number_of(in, i) * size_of(in_types[i * in_stride]);
        arguments[i] = is_in_place ? arguments[found->size + i]
                                   : number_of(out, i) * size_of(out_types[i * stride]);
    }
}

/* Writes the number of peers, and peer and bytes of each. */
static inline int64_t* put_peers(int64_t* to, int count, const int* peers, int64_t rank,
                                 struct numbers counts, const MPI_Datatype* types, int stride) {
    *to++ = count;
    for (int i = 0; i < count; ++i) {
        const bool is_null = peers[i] == MPI_PROC_NULL;
        *to++ = is_null ? NO_PEER : peers[i] - rank;
        *to++ = is_null ? 0 : number_of(counts, i) * size_of(types[i * stride]);
    }
    return to;
}

/* Puts the sources of a grid in the order of their messages: where both neighbours of a dimension
 * are one rank, what it sends down arrives from above. */
static inline void cross_equal_peers(int64_t* edges, int count) {
    for (int i = 0; i + 1 < count; i += 2) {
        int64_t *lower = edges + 2 * i, *upper = lower + 2, bytes = lower[1];
        if (lower[0] != upper[0]) continue;
        lower[1] = upper[1];
        upper[1] = bytes;
    }
}

static inline void neighbors(struct event* e, int64_t call, MPI_Comm comm, struct numbers out,
                             const MPI_Datatype* out_types, int stride, struct numbers in,
                             const MPI_Datatype* in_types, int in_stride) {
    struct communicator* found = communicator_of(comm);
    if (!in_comm(e, call, found)) return;
    find_neighbors(comm, found);
    const int64_t size = 2 + 2 * ((int64_t)found->destination_count + found->source_count);
    int64_t* to = arguments_of(e, size);
    if (e->count != size) return;
    to = put_peers(to, found->destination_count, found->destinations, found->rank, out, out_types,
                   stride);
    put_peers(to, found->source_count, found->sources, found->rank, in, in_types, in_stride);
    if (found->has_grid) cross_equal_peers(to + 1, found->source_count);
}

static inline void numbered(struct event* e, int64_t call, int64_t number) {
    e->call = call;
    *arguments_of(e, 1) = number;
}

static inline void created(struct event* e, MPI_Comm comm, MPI_Comm made) {
    const int64_t parent = communicator_of(comm)->number;
    numbered(e, CALL_comm_create, new_communicator(made)->number);
    e->comm = parent < 0 ? 0 : parent;
}

/* Sets a communicator that may not be asked for its ranks yet: they are those of its parent. */
static inline void created_like(struct event* e, MPI_Comm comm, MPI_Comm made) {
    const struct communicator* parent = communicator_of(comm);
    numbered(e, CALL_comm_create, copied_communicator(made, comm)->number);
    e->comm = parent->number < 0 ? 0 : parent->number;
}

static inline bool in_window(struct event* e, int64_t call, MPI_Win win) {
    const struct window* found = window_of(win);
    e->call = call;
    if (found && found->comm->is_foreign) ++header->foreign;
    if (!found || found->comm->is_foreign) return other(e), false;
    e->comm = found->comm->number;
    e->rank = found->comm->rank;
    *arguments_of(e, 1) = found->number;
    return true;
}

static inline void opened(struct event* e, MPI_Win win, MPI_Comm comm, int64_t bytes) {
    const struct window* made = new_window(win, comm);
    if (!in_comm(e, CALL_win_create, made->comm)) return;
    int64_t* arguments = arguments_of(e, 2);
    arguments[0] = made->number;
    arguments[1] = bytes;
}

static inline void with_peer(struct event* e, int64_t call, MPI_Win win, int target) {
    if (!in_window(e, call, win)) return;
    e->count = 2;
    e->few[1] = target == MPI_PROC_NULL ? NO_PEER : target - e->rank;
}

static inline void accessed(struct event* e, int64_t call, MPI_Win win, int target, int64_t bytes) {
    if (!in_window(e, call, win)) return;
    e->count = 3;
    e->few[1] = target == MPI_PROC_NULL ? NO_PEER : target - e->rank;
    e->few[2] = target == MPI_PROC_NULL ? 0 : bytes;
}

static inline void with_all(struct event* e, int64_t call, MPI_Win win) {
    if (!in_window(e, call, win)) return;
    const struct window* found = window_of(win);
    int64_t* arguments = arguments_of(e, 1 + (int64_t)found->comm->size);
    if (!e->count) return;
    arguments[0] = found->number;
    for (int i = 0; i < found->comm->size; ++i) arguments[1 + i] = i - e->rank;
}

static inline void with_group(struct event* e, int64_t call, MPI_Group group, MPI_Win win) {
    if (!in_window(e, call, win)) return;
    const struct window* found = window_of(win);
    int64_t* arguments = window_peers(e, group, win, found);
    if (e->count) arguments[0] = found->number;
}

static inline void asserted(struct event* e, int assertion) {
    if (assertion & MPI_MODE_NOCHECK) e->flags |= FLAG_unchecked;
}

static inline void locked(struct event* e, MPI_Win win, int target, int kind, int assertion) {
    with_peer(e, CALL_lock, win, target);
    if (kind == MPI_LOCK_EXCLUSIVE) e->flags |= FLAG_exclusive;
    asserted(e, assertion);
}

static inline void file_call(struct event* e, int64_t bytes) {
    e->call = CALL_file;
    *arguments_of(e, 1) = bytes;
}

#endif

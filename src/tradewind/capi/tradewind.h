/// The C interface: collective operations, halo, neighbour and mesh exchanges on an MPI
/// communicator, with plain arrays; callable from C, C++, Fortran and Python.
///
/// Every function but `tradewind_last_error` and `tradewind_version` returns TRADEWIND_OK or an
/// error code. The library prints nothing and ends no process. Counts and offsets are numbers of
/// elements. Functions that communicate are collective: all ranks of the communicator call them, in
/// the same order and with the same algorithm. If a rank leaves one with an error, the other ranks
/// may still wait for it. A handle may be used by one thread at a time.
#ifndef TRADEWIND_H
#define TRADEWIND_H

#include <mpi.h>
#include <stdint.h>

#define TRADEWIND_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/// The return values of functions.
enum tradewind_code {
    TRADEWIND_OK = 0,
    /// A failure of MPI or of the system.
    TRADEWIND_FAILED = 1,
    /// An invalid argument; nothing has been sent.
    TRADEWIND_WRONG_INPUT = 2
};

/// The types of array elements.
enum tradewind_type {
    TRADEWIND_BYTE = 1,  /// can be moved, but not reduced
    TRADEWIND_INT32 = 2,
    TRADEWIND_INT64 = 3,
    TRADEWIND_FLOAT = 4,
    TRADEWIND_DOUBLE = 5
};

enum tradewind_operation { TRADEWIND_SUM = 1, TRADEWIND_MAX = 2, TRADEWIND_MIN = 3 };

/// The ranks of an MPI communicator.
typedef struct tradewind_comm tradewind_comm;
/// The plan of a halo exchange.
typedef struct tradewind_halo tradewind_halo;
/// The lists and buffers of an exchange between parts of a mesh.
typedef struct tradewind_mesh tradewind_mesh;

/// Returns the message of the last failure in this thread: who complains, what was given, what was
/// expected. It is valid until the thread's next failure, and never NULL.
TRADEWIND_API const char* tradewind_last_error(void);
/// Returns the version, such as "0.1.0".
TRADEWIND_API const char* tradewind_version(void);

/// Starts MPI unless it runs already; for languages and programs that do not call MPI themselves.
TRADEWIND_API int tradewind_init(void);
/// Ends MPI if `tradewind_init` has started it and it has not been ended.
TRADEWIND_API int tradewind_finalize(void);

/// Makes a handle of a communicator; collective over `mpi_comm`. The communicator is duplicated, so
/// that messages of the application cannot interfere with those sent here.
TRADEWIND_API int tradewind_comm_create(MPI_Comm mpi_comm, tradewind_comm** comm);
/// Makes a handle of a Fortran communicator, or of the integer that `py2f()` of mpi4py returns.
TRADEWIND_API int tradewind_comm_create_f(MPI_Fint mpi_comm, tradewind_comm** comm);
/// Makes a handle of MPI_COMM_WORLD.
TRADEWIND_API int tradewind_comm_world(tradewind_comm** comm);
/// Frees the handle and sets `*comm` to NULL; collective. After MPI has ended it only frees the
/// memory.
TRADEWIND_API int tradewind_comm_free(tradewind_comm** comm);
TRADEWIND_API int tradewind_comm_rank(const tradewind_comm* comm, int* rank);
TRADEWIND_API int tradewind_comm_size(const tradewind_comm* comm, int* size);
/// Switches the check of counts and calls on (`on` not 0) or off, on all ranks alike. With the
/// check, collective operations first compare function, algorithm, size, type, operation and root
/// of all ranks, at the cost of a small allreduce; a halo does so at its first exchange. Alltoallv
/// and neighbour exchanges compare the counts of both sides as well, at the cost of a small
/// alltoallv and another allreduce. What does not match fails on all ranks. Without the check, a
/// message that is too long for its receiver gives TRADEWIND_FAILED there, and other mismatches go
/// unnoticed or hang.
TRADEWIND_API int tradewind_comm_check_counts(tradewind_comm* comm, int on);

// ---- collective operations ----
//
// `algorithm` is a name listed by `tradewind list algorithms`, with optional options as in
// "ring_k:radix=4,protocol=(1,6)"; NULL or "" selects the default. All ranks must pass the same
// one.

/// Sends `send_counts[i]` elements at `send` + `send_offsets[i]` to rank i, and receives
/// `receive_counts[i]` elements of rank i at `receive` + `receive_offsets[i]`. The arrays have one
/// entry per rank.
TRADEWIND_API int tradewind_alltoallv(tradewind_comm* comm, const void* send,
                                      const int64_t* send_counts, const int64_t* send_offsets,
                                      void* receive, const int64_t* receive_counts,
                                      const int64_t* receive_offsets, int type,
                                      const char* algorithm);
/// Reduces in place: `data` holds the rank's own vector before, and the element-wise sum, maximum
/// or minimum of all ranks' vectors afterwards.
TRADEWIND_API int tradewind_allreduce(tradewind_comm* comm, void* data, int64_t count, int type,
                                      int operation, const char* algorithm);
/// Gathers on every rank: `all` gets the `count` elements at `mine` of rank 0, then those of rank
/// 1, and so on.
TRADEWIND_API int tradewind_allgather(tradewind_comm* comm, const void* mine, void* all,
                                      int64_t count, int type, const char* algorithm);
TRADEWIND_API int tradewind_bcast(tradewind_comm* comm, void* data, int64_t count, int type,
                                  int root, const char* algorithm);
TRADEWIND_API int tradewind_barrier(tradewind_comm* comm, const char* algorithm);

// ---- exchange with neighbours ----

/// Sends to and receives from the listed ranks, all at once. `send` holds the data for the first
/// neighbour, then those for the second one, and so on; `receive` is filled in the same way. A rank
/// may be listed several times, and a rank may list itself: the k-th entry for rank r on this rank
/// matches the k-th entry for this rank on rank r. If a rank lists another one, the other one must
/// list it too.
TRADEWIND_API int tradewind_neighbor_exchange(tradewind_comm* comm, int neighbors, const int* ranks,
                                              const void* send, const int64_t* send_counts,
                                              void* receive, const int64_t* receive_counts,
                                              int type);

// ---- halo of a field on a grid that is cut in x and y ----

/// A grid and its partition: x is cut into `columns` parts and y into `rows` parts as equal as
/// possible, the first ones longer by one point; z is not cut. Rank r has column r mod `columns`
/// and row r / `columns`.
typedef struct tradewind_grid {
    int64_t nx, ny, nz;  /// points
    int columns, rows;   /// 0, 0 selects the squarest process grid
    int64_t width;       /// halo width in x and y, at most nx and ny; may exceed a part
    int64_t fields;      /// values per point, each stored as a separate array
    int type;            /// type of the values
} tradewind_grid;

/// The points first <= (x, y, z) < first + points, along x, y and z; not wrapped.
typedef struct tradewind_box {
    int64_t first[3];
    int64_t points[3];
} tradewind_box;

/// Makes the plan of a halo exchange; `comm` must outlive it.
TRADEWIND_API int tradewind_halo_create(tradewind_comm* comm, const tradewind_grid* grid,
                                        tradewind_halo** halo);
TRADEWIND_API int tradewind_halo_free(tradewind_halo** halo);
/// Returns the points that this rank owns, and those that its array holds, with `width` more on
/// either side in x and y. Either pointer may be NULL.
TRADEWIND_API int tradewind_halo_boxes(const tradewind_halo* halo, tradewind_box* owned,
                                       tradewind_box* held);
/// Fills the halo of `values`, an array of the shape of `held`: x runs fastest, then y, z and the
/// fields. The domain is periodic in x and y; corners are filled.
TRADEWIND_API int tradewind_halo_exchange(tradewind_halo* halo, void* values);

// ---- exchange between parts of a mesh ----

/// The part of a mesh that a rank owns, and the points that it shares with others.
///
/// A mesh consists of items (elements, cells) with any numbers of their own. The points of the i-th
/// item of the rank are i * points_per_item, ..., (i + 1) * points_per_item - 1 of its fields. Item
/// i has the shares first_shares[i] <= s < first_shares[i + 1], each with one other item. Share s
/// sends the points send_points[n] of the item, first_sends[s] <= n < first_sends[s + 1], and what
/// arrives goes to its points receive_points[n], first_receives[s] <= n < first_receives[s + 1].
/// Both sides list these points in the same order. Points of an item count from 0.
///
/// The rank itself may be the only item, as for a halo of whole cells: its points are the cells
/// that it owns or holds, and it has a share for each neighbouring rank.
typedef struct tradewind_mesh_part {
    int64_t items;                  /// items of the rank
    const int64_t* item_numbers;    /// the number of each item
    int points_per_item;            /// points of an item in the fields that are sent
    int receiving_points_per_item;  /// points of an item where values arrive; 0: points_per_item
    const int64_t* first_shares;    /// items + 1 numbers, of which the first is 0
    const int64_t* share_items;     /// the item with which each share is
    const int* share_ranks;         /// the rank that owns that item
    const int* share_numbers;       /// the place of the share among those of that item
    const int64_t* first_sends;     /// shares + 1 numbers, of which the first is 0
    const int* send_points;
    const int64_t* first_receives;  /// shares + 1 numbers, of which the first is 0
    const int* receive_points;
} tradewind_mesh_part;

/// A field of doubles: layer k of point p is values[p * point_stride + k * layer_stride].
typedef struct tradewind_mesh_field {
    double* values;
    int64_t point_stride;
    int64_t layers;
    int64_t layer_stride;
} tradewind_mesh_field;

/// Arriving values are added to the points, or replace them.
enum tradewind_combination { TRADEWIND_MESH_SUM = 1, TRADEWIND_MESH_COPY = 2 };

/// Prepares an exchange of `layers` values per point, of all fields together; collective. The
/// arrays of `part` may be freed afterwards; `comm` must outlive the exchange. `options` selects
/// when messages are unpacked, the order of sums, and what carries the messages, by one name or by
/// keys: "on_arrival.persistent", "pairwise:protocol=(1,6)", "native",
/// "schedule=on_arrival,summation=arrival"; NULL or "" selects the defaults. Fails on all ranks if
/// two ranks disagree on the size of a message.
TRADEWIND_API int tradewind_mesh_create(tradewind_comm* comm, const tradewind_mesh_part* part,
                                        int64_t layers, int combination, const char* options,
                                        tradewind_mesh** mesh);
/// Waits for the rank's sends and frees the exchange, unless it is started and not finished.
/// Collective for the native exchanges of the library, which have a communicator of their own.
TRADEWIND_API int tradewind_mesh_free(tradewind_mesh** mesh);
/// Exchanges `fields` fields, in one message for each neighbour. Values arrive in `into`, which has
/// the layers of `from`; NULL stands for `from` itself, as sums need it.
TRADEWIND_API int tradewind_mesh_exchange(tradewind_mesh* mesh, int fields,
                                          const tradewind_mesh_field* from,
                                          const tradewind_mesh_field* into);
/// Packs and, with schedule=on_arrival or by native_nonblocking, sends. Work may follow that leaves
/// `from` unchanged.
TRADEWIND_API int tradewind_mesh_start(tradewind_mesh* mesh, int fields,
                                       const tradewind_mesh_field* from);
/// Completes what tradewind_mesh_start has started with the same fields.
TRADEWIND_API int tradewind_mesh_finish(tradewind_mesh* mesh, int fields,
                                        const tradewind_mesh_field* from,
                                        const tradewind_mesh_field* into);

#ifdef __cplusplus
}
#endif

#endif

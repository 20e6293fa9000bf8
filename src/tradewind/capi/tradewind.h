/// C interface: collective operations, halo and neighbour exchange on an MPI communicator, with
/// plain arrays; callable from C, C++, Fortran and Python.
///
/// Every function but `tradewind_last_error` and `tradewind_version` returns TRADEWIND_OK or an
/// error code. The library prints nothing and ends no process. Counts and offsets are numbers of
/// elements. Functions that take a `tradewind_comm` are collective: all of its ranks call them, in
/// the same order and with the same algorithm; one that leaves with an error does not free the
/// others from waiting for it. A handle may be used by one thread at a time.
#ifndef TRADEWIND_H
#define TRADEWIND_H

#include <mpi.h>
#include <stdint.h>

#define TRADEWIND_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/// What functions return.
enum tradewind_code {
    TRADEWIND_OK = 0,
    /// MPI or the system has failed.
    TRADEWIND_FAILED = 1,
    /// An argument is not acceptable; nothing has been sent.
    TRADEWIND_WRONG_INPUT = 2
};

/// What arrays hold.
enum tradewind_type {
    TRADEWIND_BYTE = 1,  /// to be moved only, not reduced
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

/// Why the last call of this thread that did not return TRADEWIND_OK failed: who complains, what
/// was given, what was expected. Valid until the thread's next failure; never NULL.
TRADEWIND_API const char* tradewind_last_error(void);
/// Such as "0.1.0".
TRADEWIND_API const char* tradewind_version(void);

/// Starts MPI unless it runs already; for languages and programs that do not call MPI themselves.
TRADEWIND_API int tradewind_init(void);
/// Ends MPI if `tradewind_init` has started it and it has not been ended.
TRADEWIND_API int tradewind_finalize(void);

/// Makes a handle of a communicator, which is duplicated: messages of the application cannot be
/// mixed up with those sent here. Collective over `mpi_comm`.
TRADEWIND_API int tradewind_comm_create(MPI_Comm mpi_comm, tradewind_comm** comm);
/// The same from a communicator of Fortran, or from `py2f()` of mpi4py.
TRADEWIND_API int tradewind_comm_create_f(MPI_Fint mpi_comm, tradewind_comm** comm);
/// The same from MPI_COMM_WORLD.
TRADEWIND_API int tradewind_comm_world(tradewind_comm** comm);
/// Collective; sets `*comm` to NULL. After MPI has ended it frees the memory only.
TRADEWIND_API int tradewind_comm_free(tradewind_comm** comm);
TRADEWIND_API int tradewind_comm_rank(const tradewind_comm* comm, int* rank);
TRADEWIND_API int tradewind_comm_size(const tradewind_comm* comm, int* size);
/// With `on` other than 0, alltoallv and neighbour exchanges compare the counts of both sides
/// first, at the price of a small alltoallv and an allreduce, and refuse on all ranks what does not
/// match. Without it, a message that is too long for its receiver is TRADEWIND_FAILED there, and
/// what else does not match goes unnoticed.
TRADEWIND_API int tradewind_comm_check_counts(tradewind_comm* comm, int on);

// ---- collective operations ----
//
// `algorithm` is a name of `tradewind list algorithms`, with options where it has some:
// "ring_k:radix=4,protocol=(1,6)"; NULL or "" stands for the default. All ranks give the same one.

/// Rank i gets `send_counts[i]` elements from `send` + `send_offsets[i]`, and `receive_counts[i]`
/// elements of it go to `receive` + `receive_offsets[i]`; arrays of one entry per rank.
TRADEWIND_API int tradewind_alltoallv(tradewind_comm* comm, const void* send,
                                      const int64_t* send_counts, const int64_t* send_offsets,
                                      void* receive, const int64_t* receive_counts,
                                      const int64_t* receive_offsets, int type,
                                      const char* algorithm);
/// In place: `data` holds the own vector before, and the sum, maximum or minimum of all ranks'
/// vectors, element by element, afterwards.
TRADEWIND_API int tradewind_allreduce(tradewind_comm* comm, void* data, int64_t count, int type,
                                      int operation, const char* algorithm);
/// `all` gets the `count` elements at `mine` of rank 0, then those of rank 1, and so on.
TRADEWIND_API int tradewind_allgather(tradewind_comm* comm, const void* mine, void* all,
                                      int64_t count, int type, const char* algorithm);
TRADEWIND_API int tradewind_bcast(tradewind_comm* comm, void* data, int64_t count, int type,
                                  int root, const char* algorithm);
TRADEWIND_API int tradewind_barrier(tradewind_comm* comm, const char* algorithm);

// ---- exchange with neighbours ----

/// Sends to and receives from some ranks, all at once. `send` holds what the first neighbour gets,
/// then what the second one gets, and so on; `receive` is filled in the same way. A rank may be
/// listed several times, and a rank may list itself: the k-th entry for rank r here meets the k-th
/// entry for this rank there. Who lists whom must be mutual.
TRADEWIND_API int tradewind_neighbor_exchange(tradewind_comm* comm, int neighbors, const int* ranks,
                                              const void* send, const int64_t* send_counts,
                                              void* receive, const int64_t* receive_counts,
                                              int type);

// ---- halo of a field on a grid that is cut in x and y ----

/// A grid and how it is cut: x into `columns`, y into `rows` parts as equal as possible, the first
/// ones longer by one point; z is whole. Rank r has column r mod `columns` and row r / `columns`.
typedef struct tradewind_grid {
    int64_t nx, ny, nz;  /// points
    int columns, rows;   /// 0, 0: as square as possible
    int64_t width;       /// of the halo in x and y, at most nx and ny; may exceed a part
    int64_t fields;      /// values per point, each a whole array of its own
    int type;            /// of the values
} tradewind_grid;

/// Points first <= (x, y, z) < first + points, along x, y and z; not wrapped.
typedef struct tradewind_box {
    int64_t first[3];
    int64_t points[3];
} tradewind_box;

/// `comm` must outlive the plan.
TRADEWIND_API int tradewind_halo_create(tradewind_comm* comm, const tradewind_grid* grid,
                                        tradewind_halo** halo);
TRADEWIND_API int tradewind_halo_free(tradewind_halo** halo);
/// The points that this rank owns, and those that its array holds: the owned ones with `width` more
/// on either side in x and y. NULL for what is not wanted.
TRADEWIND_API int tradewind_halo_boxes(const tradewind_halo* halo, tradewind_box* owned,
                                       tradewind_box* held);
/// Fills the halo of `values`, an array of the shape of `held`: x runs fastest, then y, z and the
/// fields. The domain is periodic in x and y; corners are filled.
TRADEWIND_API int tradewind_halo_exchange(tradewind_halo* halo, void* values);

#ifdef __cplusplus
}
#endif

#endif

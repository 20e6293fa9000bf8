/* The parts of the recorder: events, communicators, requests, and the files that they are kept in.
 */
#ifndef TRADEWIND_RECORDER_H
#define TRADEWIND_RECORDER_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "names.h"

/* What a program calls as MPI_X is `real.X` here. names.h, which is generated, lists them. */
struct real_functions {
#define FUNCTION(name) __typeof__(PMPI_##name)* name;
    TRADEWIND_FUNCTIONS
#undef FUNCTION
};
extern struct real_functions real;

/* Open MPI's constants are addresses in its library, which is not there in a program without MPI.
 */
#ifdef OPEN_MPI
struct constants {
    void *comm_world, *comm_self, *comm_null, *request_null, *group_null, *byte, *message_null;
};
extern struct constants constants;
#undef MPI_COMM_WORLD
#undef MPI_COMM_SELF
#undef MPI_COMM_NULL
#undef MPI_REQUEST_NULL
#undef MPI_GROUP_NULL
#undef MPI_BYTE
#undef MPI_MESSAGE_NULL
#define MPI_COMM_WORLD ((MPI_Comm)constants.comm_world)
#define MPI_COMM_SELF ((MPI_Comm)constants.comm_self)
#define MPI_COMM_NULL ((MPI_Comm)constants.comm_null)
#define MPI_REQUEST_NULL ((MPI_Request)constants.request_null)
#define MPI_GROUP_NULL ((MPI_Group)constants.group_null)
#define MPI_BYTE ((MPI_Datatype)constants.byte)
#define MPI_MESSAGE_NULL ((MPI_Message)constants.message_null)
#endif

enum function {
#define FUNCTION(name) FUNCTION_##name,
    TRADEWIND_FUNCTIONS
#undef FUNCTION
        function_count
};

/* The calls of a trace; their names are written to the file, so their numbers are ours. */
enum call {
#define CALL(name) CALL_##name,
    TRADEWIND_CALLS
#undef CALL
        call_count
};

/* As in src/tradewind/trace/call.hpp. */
enum {
    FLAG_wildcard = 1,
    FLAG_timing = 2,
    FLAG_nonblocking = 4,
    FLAG_persistent = 8,
    FLAG_exclusive = 16,
    FLAG_unchecked = 32
};
#define NO_PEER INT64_MIN
/* Peer or tag of a receive for any, until it is complete. */
#define UNRESOLVED (INT64_MIN + 1)
/* MPICH gives MPI_Isendrecv the status of another request. */
#ifdef OPEN_MPI
enum { HAS_EXCHANGE_STATUS = true };
#else
enum { HAS_EXCHANGE_STATUS = false };
#endif

enum { FEW_ARGUMENTS = 10 };

/* A call with its arguments. */
struct event {
    int64_t call, comm, flags;
    /* The return address of the call. */
    uint64_t site;
    /* The own rank in the communicator. */
    int rank;
    /* The function, for calls that the trace knows no better. */
    enum function function;
    /* Such a call takes the time of the tests before it. */
    bool ends_waiting;
    /* The arguments are `few` unless they are too many. */
    int64_t count;
    int64_t few[FEW_ARGUMENTS];
    int64_t* many;
};

/* A communicator as this rank knows it. */
struct communicator {
    uint64_t handle;
    int64_t number;
    int rank, size;
    /* It reaches processes outside MPI_COMM_WORLD, or is an intercommunicator. */
    bool is_foreign;
    /* The neighbours of its topology, once they are known. */
    bool has_neighbors;
    /* They are those of a grid: two for each dimension. */
    bool has_grid;
    int destination_count, source_count;
    int *destinations, *sources;
};

struct window {
    uint64_t handle;
    int64_t number;
    struct communicator* comm;
};

/* The state of recording; one thread at a time touches it. */
struct state {
    /* Between MPI_Init and MPI_Finalize, with files open. */
    bool is_open;
    /* Not switched off by MPI_Pcontrol. */
    bool is_on;
    /* Inside a call: what MPI itself calls is not recorded. */
    bool is_inside;
    /* Some request was cancelled. */
    bool has_cancelled;
    int rank, ranks;
};
extern struct state state;
extern const char* const function_names[];
/* Finds the functions of MPI in the library that the program uses. */
void find_functions(void);
/* Where a Fortran program has called the binding that is at work; 0 if none is. */
extern _Thread_local uint64_t tradewind_caller;

/* ---- python.c ---- */
/* Finds the interpreter, if this process has one. */
void find_python(void);
/* Returns the line of a Python program that calls MPI by mpi4py, for other addresses themselves. */
uint64_t python_site(uint64_t address);
/* Returns the name of the line, or a null pointer for a site that is an address. */
const char* python_line(uint64_t site);

#define EXPORTED __attribute__((visibility("default")))
/* Returns where a program has called the function that this stands in. */
#define SITE() site_of((uint64_t)(uintptr_t)__builtin_return_address(0))
static inline uint64_t site_of(uint64_t address) {
    const uint64_t caller = tradewind_caller;
    tradewind_caller = 0;
    return caller ? caller : python_site(address);
}

/* The thread that has called MPI_Init. Others are recorded unless they may call at the same time.
 */
extern _Thread_local bool is_first_thread;

/* ---- store.c: the files ---- */
enum status { recording = 1, finished = 2, aborted = 3, disk_full = 4, cannot_write = 5 };

/* The first page of the file of definitions. */
struct header {
    char magic[8];
    uint32_t version, rank, ranks, status;
    uint64_t thread_level, failed_tests, foreign, other_threads, events, function_count;
    uint64_t counts[1000];
};
_Static_assert(function_count <= 1000, "MPI has more functions than the header of a file");
enum definition {
    DEFINITION_signature = 1,
    DEFINITION_communicator,
    DEFINITION_string,
    DEFINITION_site,
    DEFINITION_function,
    DEFINITION_call,
    DEFINITION_fact
};

struct event_record {
    /* From 1; 0 where nothing has been written. */
    uint32_t signature, reserved;
    uint64_t computed_ns, processor_ns, inside_ns;
};

extern struct header* header;
/* Makes the two files of this rank. */
bool open_store(const char* folder, int rank, int ranks);
/* Shortens the files to what was written. */
void close_store(enum status status);
/* Adds an event; its place is returned. */
uint64_t append_event(const struct event_record* record);
/* Replaces the signature of an event. */
void replace_signature(uint64_t place, uint32_t signature);
/* Adds a definition and returns where its content is; NULL if there is no space. */
const void* define(enum definition kind, const void* const* parts, const size_t* sizes, int count);

/* ---- events.c: times and signatures ---- */
/* Starts a call; false if it is not to be recorded. */
bool enter(enum function function);
/* Ends a call whose time inside is taken. */
void leave(void);
/* Ends a call that has found nothing complete: its time counts as that of the next wait. */
void leave_failed_test(void);
/* Lets the program go on: what follows is computation. */
void resume(void);
/* Adds the event of this call; its place is returned. */
uint64_t emit(struct event* event);
/* Returns the number of an event's signature. */
uint32_t signature_of(const struct event* event);
/* Returns the number of a text. */
int64_t string_of(const char* text);
void define_fact(const char* text);
/* Makes an event a call of which only the function and the time are known. */
void other(struct event* event);
/* Forgets the time since the last call. */
void forget_time(void);
/* Notes the processor times of this thread and of all, and defines what they have grown by. */
void begin_processor_times(void);
void define_processor_times(void);
/* Sets the arguments of an event to `count` values, to be filled in. */
int64_t* arguments_of(struct event* event, int64_t count);
void release_arguments(struct event* event);

/* ---- communicators.c ---- */
struct communicator* communicator_of(MPI_Comm comm);
struct communicator* new_communicator(MPI_Comm comm);
/* Adds a communicator that is not complete yet and will have the ranks of another. */
struct communicator* copied_communicator(MPI_Comm comm, MPI_Comm like);
void forget_communicator(MPI_Comm comm);
struct window* window_of(MPI_Win win);
struct window* new_window(MPI_Win win, MPI_Comm comm);
void forget_window(MPI_Win win);
/* Finds the neighbours in the topology of a communicator. */
void find_neighbors(MPI_Comm comm, struct communicator* found);
/* Sets the arguments of an event to a place for the window and the ranks of a group in it,
 * relative. */
int64_t* window_peers(struct event* event, MPI_Group group, MPI_Win win,
                      const struct window* window);

/* ---- requests.c ---- */
/* Adds the event of a nonblocking call with its slot as last argument. */
void start_request(struct event* event, MPI_Request request);
/* Keeps the event of a persistent request for its starts. */
void keep_request(struct event* event, MPI_Request request);
/* Takes the slot of a request that MPI does not know. */
int64_t open_slot(void);
/* Makes `event` a wait for such slots. */
void close_slots(struct event* event, int64_t count, const int64_t* slots);
/* Notes the requests of a call, which overwrites them. */
void save_requests(int count, const MPI_Request* requests);
/* Makes `event` a wait for those of the noted requests that `indices` names, or all. If none of
 * them is known it is a call of which the trace has only the time. */
void completed(struct event* event, int count, const int* indices, const MPI_Status* statuses,
               int64_t flags);
/* Adds the events of persistent requests that start; `event` is the call if none is known. */
void start_persistent(struct event* event, int count, const MPI_Request* requests);
/* The same for a call with an error, which has ended those of the noted requests that are now null.
 * `statuses` are theirs, in the order of `requests`, or NULL. */
void failed(struct event* event, int result, int count, const MPI_Request* requests,
            const MPI_Status* statuses);
/* Notes a request that the program is about to free, and whether it is complete. */
void ask_request(MPI_Request request);
/* Ends the noted request, which the program has freed; `event` is the call if it is not known. If
 * it is a receive that was complete, or cancelled, then the call is a wait for it. */
void free_request(struct event* event);
/* Notes that receives may be cancelled; `event` is the call if the request is not known. */
void cancel_request(struct event* event, MPI_Request request);
/* Adds the wait for what the program has left open. */
void complete_rest(uint64_t site);
/* Remembers what a matched probe has found. */
void keep_message(const struct event* probe, MPI_Message message);
/* Makes `receive` the receive of that message. */
void take_message(struct event* receive, MPI_Message message);

uint64_t bits_of(const void* handle, size_t size);
#define BITS(handle) bits_of(&(handle), sizeof(handle))

#endif

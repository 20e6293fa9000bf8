/* The start and the end of recording: the library of MPI that the program uses, MPI_Init,
 * MPI_Finalize, MPI_Abort and MPI_Pcontrol. A process that never calls MPI_Init is left alone. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recorder.h"

struct real_functions real;
struct state state;
_Thread_local bool is_first_thread;

const char* const function_names[] = {
#define FUNCTION(name) "MPI_" #name,
    TRADEWIND_FUNCTIONS
#undef FUNCTION
};

static const char* const call_names[] = {
#define CALL(name) #name,
    TRADEWIND_CALLS
#undef CALL
};

#ifdef OPEN_MPI
struct constants constants;

/* A program may have a copy of the object, which MPI then uses instead of its own. */
static void* object(void* library, const char* name) {
    void* found = dlsym(RTLD_DEFAULT, name);
    return found ? found : dlsym(library, name);
}

static void find_constants(void* library) {
    constants.comm_world = object(library, "ompi_mpi_comm_world");
    constants.comm_self = object(library, "ompi_mpi_comm_self");
    constants.comm_null = object(library, "ompi_mpi_comm_null");
    constants.request_null = object(library, "ompi_request_null");
    constants.group_null = object(library, "ompi_mpi_group_null");
    constants.byte = object(library, "ompi_mpi_byte");
    constants.message_null = object(library, "ompi_message_null");
}
#else
static void find_constants(void* library) {
    (void)library;
}
#endif

/* Keeps the handle of a loaded object in which MPI is defined. A program such as Python loads MPI
 * for one module only, so that a search in the order of loading would miss it. */
static int look_into(struct dl_phdr_info* info, size_t size, void* result) {
    (void)size;
    if (!info->dlpi_name || !strstr(info->dlpi_name, "mpi")) return 0;
    void* library = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
    if (!library) return 0;
    void* found = dlsym(library, "PMPI_Comm_rank");
    Dl_info place = {0};
    /* The object that defines it, not one that depends on that. */
    if (found && dladdr(found, &place) && place.dli_fbase == (void*)info->dlpi_addr) {
        *(void**)result = library;
        return 1;
    }
    dlclose(library);
    return 0;
}

void find_functions(void) {
    void* library = NULL;
    dl_iterate_phdr(look_into, &library);
    if (!library) library = RTLD_NEXT;
#define FUNCTION(name) *(void**)&real.name = dlsym(library, "PMPI_" #name);
    TRADEWIND_FUNCTIONS
#undef FUNCTION
    find_constants(library);
    if (!real.Init) {
        fprintf(stderr, "tradewind record: the library of MPI cannot be found in this process\n");
        abort();
    }
}

/* Keeps a child of fork from writing into the files of its parent. */
static void forget_in_child(void) {
    state.is_open = false;
}

static void define_names(void) {
    for (int64_t i = 0; i < function_count; ++i)
        define(DEFINITION_function, (const void*[]){&i, function_names[i]},
               (size_t[]){sizeof i, strlen(function_names[i])}, 2);
    for (int64_t i = 0; i < call_count; ++i)
        define(DEFINITION_call, (const void*[]){&i, call_names[i]},
               (size_t[]){sizeof i, strlen(call_names[i])}, 2);
}

#ifdef OPEN_MPI
enum { IS_OPEN_MPI = true, IS_ABI = false };
#elif defined(MPICH_NUMVERSION) || !defined(MPI_ABI_VERSION)
enum { IS_OPEN_MPI = false, IS_ABI = false };
#else
enum { IS_OPEN_MPI = false, IS_ABI = true };
#endif

/* Reports whether this library was compiled for the MPI that the program uses: the standard ABI, or
 * that of Open MPI or MPICH. */
static bool is_same_library(const char* version) {
    Dl_info place = {0};
    dladdr(*(void**)&real.Init, &place);
    const bool is_abi = place.dli_fname && strstr(place.dli_fname, "libmpi_abi");
    return is_abi == IS_ABI && (is_abi || IS_OPEN_MPI == (strstr(version, "Open MPI") != NULL));
}

/* Leaves a word for `tradewind record`. */
static void note(const char* folder, const char* name, const char* text) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE* file = fopen(path, "a");
    if (!file) return;
    fprintf(file, "%s\n", text);
    fclose(file);
}

static void define_facts(const char* version) {
    char text[MPI_MAX_LIBRARY_VERSION_STRING + 64], host[256] = "";
    gethostname(host, sizeof host - 1);
    snprintf(text, sizeof text, "host=%s", host);
    define_fact(text);
    snprintf(text, sizeof text, "library=%s", version);
    text[strcspn(text, "\n")] = 0;
    define_fact(text);
}

static void begin(uint64_t site, enum function function) {
    const char* folder = getenv("TRADEWIND_RECORD");
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0, level = 0;
    if (!folder || state.is_open || header) return;
    real.Get_library_version(version, &length);
    if (!is_same_library(version)) return note(folder, "other-library", version);
    MPI_Comm parent = MPI_COMM_NULL;
    real.Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) return note(folder, "spawned", "1");
    real.Comm_rank(MPI_COMM_WORLD, &state.rank);
    real.Comm_size(MPI_COMM_WORLD, &state.ranks);
    if (!open_store(folder, state.rank, state.ranks)) {
        /* The files are there already if the command has run another program before. */
        const bool is_second = errno == EEXIST;
        if (!header && is_second) note(folder, "other-program", "1");
        if (!header && !is_second)
            note(folder, "no-files", "a file of the recording cannot be made");
        return;
    }
    real.Query_thread(&level);
    header->thread_level = (uint64_t)level;
    is_first_thread = state.is_on = true;
    define_names();
    define_facts(version);
    new_communicator(MPI_COMM_WORLD);
    new_communicator(MPI_COMM_SELF);
    pthread_atfork(NULL, NULL, forget_in_child);
    ++header->counts[function];
    begin_processor_times();
    find_python();
    forget_time();
    struct event event = {.call = CALL_init, .site = site, .function = function};
    emit(&event);
    resume();
}

EXPORTED int MPI_Init(int* count, char*** arguments) {
    const uint64_t site = SITE();
    if (!real.Init) find_functions();
    const bool was_inside = state.is_inside;
    state.is_inside = true;
    const int result = real.Init(count, arguments);
    state.is_inside = was_inside;
    if (result == MPI_SUCCESS && !was_inside) begin(site, FUNCTION_Init);
    return result;
}

EXPORTED int MPI_Init_thread(int* count, char*** arguments, int required, int* provided) {
    const uint64_t site = SITE();
    if (!real.Init) find_functions();
    const bool was_inside = state.is_inside;
    state.is_inside = true;
    const int result = real.Init_thread(count, arguments, required, provided);
    state.is_inside = was_inside;
    if (result == MPI_SUCCESS && !was_inside) begin(site, FUNCTION_Init_thread);
    return result;
}

EXPORTED int MPI_Finalize(void) {
    struct event event = {.call = CALL_finalize, .site = SITE(), .function = FUNCTION_Finalize};
    if (!enter(FUNCTION_Finalize)) return real.Finalize();
    leave();
    complete_rest(event.site);
    const int result = real.Finalize();
    leave();
    emit(&event);
    if (state.is_open) define_processor_times();
    close_store(finished);
    resume();
    return result;
}

EXPORTED int MPI_Abort(MPI_Comm comm, int code) {
    if (enter(FUNCTION_Abort)) close_store(aborted);
    return real.Abort(comm, code);
}

/* Copies a text of a program that may have given none, so that anything may be in its place. False
 * if it cannot be read, or is no name. The system tells what can be read: in a write to a pipe. */
static bool read_name(const char* from, char* name, size_t size) {
    int ends[2];
    if (!from || pipe(ends)) return false;
    size_t length = 0;
    bool is_read = false;
    for (; length < size && write(ends[1], from + length, 1) == 1; ++length) {
        if (read(ends[0], name + length, 1) != 1) break;
        is_read = name[length] == '\0';
        if (is_read || (unsigned char)name[length] < ' ') break;
    }
    close(ends[0]);
    close(ends[1]);
    return is_read && length > 0;
}

static void mark_region(const char* name, uint64_t site) {
    struct event event = {.call = CALL_region, .site = site, .function = FUNCTION_Pcontrol};
    *arguments_of(&event, 1) = string_of(name);
    emit(&event);
}

/* Where the library of a program says which call of the trace the calls of MPI are that it makes
 * between the two levels. */
enum { BEGIN_ANNOUNCED = 770, END_ANNOUNCED = 771 };
static int announced;

static void begin_announced(void) {
    if (announced || enter(FUNCTION_Pcontrol)) ++announced;
}

static void end_announced(const char* name, MPI_Comm comm, int64_t count, int64_t* arguments,
                          uint64_t site) {
    if (!announced || --announced) return;
    leave();
    struct event event = {.site = site, .function = FUNCTION_Pcontrol};
    const struct communicator* found = name && state.is_on ? communicator_of(comm) : NULL;
    if (name && !strcmp(name, "wait")) {
        close_slots(&event, count, arguments);
    } else if (found && (found->is_foreign || found->size != state.ranks)) {
        ++header->foreign;
    } else if (found) {
        const bool puts = !strcmp(name, "put_signal");
        event.call = puts ? CALL_put_signal : CALL_wait_signal;
        event.comm = found->number;
        if (puts) {
            event.flags = FLAG_nonblocking;
            arguments[count - 1] = open_slot();
        }
        memcpy(arguments_of(&event, count), arguments, (size_t)count * sizeof *arguments);
        emit(&event);
    }
    resume();
}

/* 0 stops, 1 goes on, and 2 with a name begins a region. Other programs give 2 alone. */
EXPORTED int MPI_Pcontrol(const int level, ...) {
    const uint64_t site = SITE();
    char text[256];
    va_list rest;
    va_start(rest, level);
    const char* name = level == 2 || level == END_ANNOUNCED ? va_arg(rest, const char*) : NULL;
    if (level == 2) name = read_name(name, text, sizeof text) ? text : NULL;
    const bool has_call = level == END_ANNOUNCED && name;
    const MPI_Comm comm = has_call ? va_arg(rest, MPI_Comm) : MPI_COMM_NULL;
    const int64_t count = has_call ? va_arg(rest, int64_t) : 0;
    int64_t* arguments = has_call ? va_arg(rest, int64_t*) : NULL;
    va_end(rest);
    if (level == BEGIN_ANNOUNCED) return begin_announced(), MPI_SUCCESS;
    if (level == END_ANNOUNCED)
        return end_announced(name, comm, count, arguments, site), MPI_SUCCESS;
    if (!enter(FUNCTION_Pcontrol)) return MPI_SUCCESS;
    leave();
    if (level == 2) {
        if (name && state.is_on) mark_region(name, site);
    } else if (level == 0) {
        state.is_on = false;
    } else if (level == 1 && !state.is_on) {
        state.is_on = true;
        forget_time();
    }
    resume();
    return MPI_SUCCESS;
}

/* Fortran bindings may call these: all of Open MPI's, and some of MPICH's mpi_f08. */
#define SAME_AS(name) __attribute__((visibility("default"), alias("MPI_" #name)))
int PMPI_Init(int* count, char*** arguments) SAME_AS(Init);
int PMPI_Init_thread(int* count, char*** arguments, int required, int* provided)
    SAME_AS(Init_thread);
int PMPI_Finalize(void) SAME_AS(Finalize);
int PMPI_Abort(MPI_Comm comm, int code) SAME_AS(Abort);
int PMPI_Pcontrol(const int level, ...) SAME_AS(Pcontrol);

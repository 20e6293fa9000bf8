/* The times of calls, and their signatures: what is equal in many calls is defined once. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "recorder.h"

/* A signature that has been defined. */
struct signature {
    uint64_t hash;
    const int64_t* content;
    uint32_t words;
    /* The time to the next call was short when it was last seen. */
    bool is_followed_soon;
};

/* Computation shorter than SHORT_NS is not worth the system call that reads the processor time.
 * What a program does within POLL_NS after a test without success is part of its waiting. */
enum { SHORT_NS = 20000, POLL_NS = 1000, HEAD_WORDS = 4 };

static struct signature* signatures;
static uint32_t signature_number, signature_space, *buckets, bucket_count;

/* Of the call that is made, and of the time before it. */
static struct {
    uint64_t begin, end, last_end;
    uint64_t computed, processor;
    /* Time in tests without success, which the next wait takes. */
    uint64_t waited;
    uint32_t last;
    bool has_failed_test;
} now;

/* The processor time of this thread when it was read last. */
static _Thread_local uint64_t last_cpu;

static uint64_t clock_ns(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* Processor times of all threads and of this one when the recording began. */
static uint64_t first_process, first_thread;

void begin_processor_times(void) {
    first_process = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    first_thread = clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

void define_processor_times(void) {
    char text[64];
    const uint64_t process = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - first_process;
    const uint64_t thread = clock_ns(CLOCK_THREAD_CPUTIME_ID) - first_thread;
    snprintf(text, sizeof text, "processor_ns=%llu %llu", (unsigned long long)process,
             (unsigned long long)thread);
    define_fact(text);
}

void forget_time(void) {
    now.computed = now.processor = now.waited = 0;
    now.last = 0;
    now.has_failed_test = false;
    resume();
}

/* Adds the computation since the last call.
 *
 * Reading the processor time takes a system call. Where the last call of this kind was followed by
 * another one soon, it has not been read; what has passed since it was read is then a bound. */
static void take_computation(void) {
    uint64_t begin = clock_ns(CLOCK_MONOTONIC);
    const uint64_t wall = begin - now.last_end;
    now.begin = begin;
    if (now.has_failed_test && wall < POLL_NS) {
        now.waited += wall;
        return;
    }
    uint64_t processor = wall;
    const bool is_short = wall < SHORT_NS;
    if (!is_short) {
        const uint64_t cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
        if (cpu - last_cpu < wall) processor = cpu - last_cpu;
        last_cpu = cpu;
        begin = clock_ns(CLOCK_MONOTONIC);
    }
    if (now.last) signatures[now.last].is_followed_soon = is_short;
    now.computed += wall;
    now.processor += processor;
    now.begin = begin;
}

bool enter(enum function function) {
    if (!real.Init) find_functions();
    if (!state.is_open) return false;
    if (!is_first_thread && header->thread_level == MPI_THREAD_MULTIPLE) {
        __atomic_add_fetch(&header->other_threads, 1, __ATOMIC_RELAXED);
        return false;
    }
    if (state.is_inside) return false;
    state.is_inside = true;
    if (state.is_on) {
        ++header->counts[function];
        take_computation();
    }
    return true;
}

void leave(void) {
    if (!state.is_on) return;
    now.end = clock_ns(CLOCK_MONOTONIC);
    now.has_failed_test = false;
}

void leave_failed_test(void) {
    if (!state.is_on) return;
    ++header->failed_tests;
    now.waited += now.end - now.begin;
    now.has_failed_test = true;
}

void resume(void) {
    if (state.is_on) {
        if (!now.last || !signatures[now.last].is_followed_soon)
            last_cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
        now.last_end = clock_ns(CLOCK_MONOTONIC);
        if (now.has_failed_test) now.waited += now.last_end - now.end;
    }
    state.is_inside = false;
}

int64_t* arguments_of(struct event* event, int64_t count) {
    event->count = count;
    event->many = NULL;
    if (count <= FEW_ARGUMENTS) return event->few;
    event->many = malloc((size_t)count * sizeof *event->many);
    if (!event->many) event->count = 0;
    return event->many ? event->many : event->few;
}

void release_arguments(struct event* event) {
    free(event->many);
    event->many = NULL;
}

static uint64_t mixed(uint64_t hash, const int64_t* words, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
        hash = (hash ^ (uint64_t)words[i]) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return hash;
}

static bool grow_table(void) {
    if (signature_number + 2 < signature_space) return true;
    const uint32_t space = signature_space ? 2 * signature_space : 1024;
    struct signature* more = realloc(signatures, space * sizeof *more);
    if (more) signatures = more;
    uint32_t* table = calloc(2 * (size_t)space, sizeof *table);
    if (!more || !table) return free(table), false;
    free(buckets);
    buckets = table;
    bucket_count = 2 * space;
    signature_space = space;
    for (uint32_t i = 1; i <= signature_number; ++i) {
        uint32_t at = (uint32_t)signatures[i].hash & (bucket_count - 1);
        while (buckets[at]) at = (at + 1) & (bucket_count - 1);
        buckets[at] = i;
    }
    return true;
}

/* Defines where a return address is: module and offset in it, and the function if it is known. */
static void define_site(uint64_t site) {
    static uint64_t known[4096];
    uint64_t* place = &known[(site * 0x9e3779b97f4a7c15u) >> 52];
    if (*place == site) return;
    *place = site;
    const char* line = python_line(site);
    if (line) {
        /* The number of the line tells it from others, as an offset does in a module. */
        const uint64_t numbers[3] = {site, site << 1 >> 1, 0};
        define(DEFINITION_site, (const void*[]){numbers, "", line},
               (size_t[]){sizeof numbers, 1, strlen(line)}, 3);
        return;
    }
    Dl_info info = {0};
    struct link_map* map = NULL;
    if (!dladdr1((void*)(uintptr_t)site, &info, (void**)&map, RTLD_DL_LINKMAP)) return;
    /* The offset is that of the file, whose addresses may not begin at 0. */
    const uint64_t numbers[3] = {site, site - (map ? map->l_addr : 0),
                                 info.dli_sname ? site - (uint64_t)(uintptr_t)info.dli_saddr : 0};
    const bool is_program = map && !*map->l_name;
    const char* module = is_program ? "/proc/self/exe" : info.dli_fname ? info.dli_fname : "";
    const char* name = info.dli_sname ? info.dli_sname : "";
    char path[4096];
    if (is_program) {
        const ssize_t length = readlink(module, path, sizeof path - 1);
        if (length > 0) path[length] = 0, module = path;
    }
    define(DEFINITION_site, (const void*[]){numbers, module, name},
           (size_t[]){sizeof numbers, strlen(module) + 1, strlen(name)}, 3);
}

uint32_t signature_of(const struct event* event) {
    const int64_t* arguments = event->many ? event->many : event->few;
    const int64_t head[HEAD_WORDS] = {event->call, event->comm, event->flags, (int64_t)event->site};
    const uint32_t words = (uint32_t)(HEAD_WORDS + event->count);
    const uint64_t hash = mixed(mixed(words, head, HEAD_WORDS), arguments, event->count);
    if (!grow_table()) return 0;
    uint32_t at = (uint32_t)hash & (bucket_count - 1);
    for (; buckets[at]; at = (at + 1) & (bucket_count - 1)) {
        const struct signature* known = &signatures[buckets[at]];
        if (known->hash == hash && known->words == words &&
            !memcmp(known->content, head, sizeof head) &&
            !memcmp(known->content + HEAD_WORDS, arguments, (size_t)event->count * 8))
            return buckets[at];
    }
    define_site(event->site);
    const void* content = define(DEFINITION_signature, (const void*[]){head, arguments},
                                 (size_t[]){sizeof head, (size_t)event->count * 8}, 2);
    if (!content) return 0;
    signatures[++signature_number] = (struct signature){hash, content, words, false};
    return buckets[at] = signature_number;
}

/* Reports whether a call takes the time of the tests before it. */
static bool ends_waiting(int64_t call) {
    return call == CALL_wait || call == CALL_recv || call == CALL_probe || call == CALL_wait_posts;
}

uint64_t emit(struct event* event) {
    const uint32_t signature = state.is_open && state.is_on ? signature_of(event) : 0;
    release_arguments(event);
    if (!signature) return 0;
    struct event_record record = {signature, 0, now.computed, now.processor, now.end - now.begin};
    if (ends_waiting(event->call) || event->ends_waiting) {
        record.inside_ns += now.waited;
        now.waited = 0;
    }
    now.computed = now.processor = 0;
    /* What the same call adds beyond its first event takes no time. */
    now.begin = now.end;
    now.last = signature;
    return append_event(&record);
}

void other(struct event* event) {
    event->ends_waiting = ends_waiting(event->call);
    event->call = CALL_other;
    event->comm = 0;
    *arguments_of(event, 1) = string_of(function_names[event->function]);
}

int64_t string_of(const char* text) {
    static struct {
        char* text;
        int64_t number;
    }* known;
    static int64_t count;
    for (int64_t i = 0; i < count; ++i)
        if (!strcmp(known[i].text, text)) return i;
    void* more = realloc(known, (size_t)(count + 1) * sizeof *known);
    if (!more) return -1;
    known = more;
    known[count].text = strdup(text);
    if (!known[count].text) return -1;
    define(DEFINITION_string, (const void*[]){text}, (size_t[]){strlen(text)}, 1);
    return count++;
}

void define_fact(const char* text) {
    define(DEFINITION_fact, (const void*[]){text}, (size_t[]){strlen(text)}, 1);
}

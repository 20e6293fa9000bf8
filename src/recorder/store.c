/* The files of a rank: mapped into memory, so that what was written survives the process, and grown
 * by blocks that the file system has given, so that a full disk is an error code and no signal. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "recorder.h"

/* A file whose content so far lies at one place of the address space. */
struct stream {
    int file;
    char* base;
    size_t used, mapped, reserved;
};

enum { FIRST_CHUNK = 1 << 16, LAST_CHUNK = 1 << 24 };

static struct stream events = {.file = -1}, definitions = {.file = -1};
struct header* header;

static void stop(enum status status) {
    if (header) header->status = status;
    state.is_open = false;
}

/* Maps more of the file; chunks grow with it. */
static bool grow(struct stream* stream, size_t needed) {
    size_t chunk = FIRST_CHUNK;
    while (chunk < LAST_CHUNK && chunk < stream->mapped) chunk *= 2;
    while (chunk < needed) chunk += LAST_CHUNK;
    /* Beyond the largest file that the process may write a signal would end it. */
    struct rlimit limit;
    const bool is_limited = !getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur != RLIM_INFINITY;
    const size_t most =
        is_limited && limit.rlim_cur < stream->reserved ? (size_t)limit.rlim_cur : stream->reserved;
    if (stream->mapped + chunk > most) return stop(cannot_write), false;
    const int error = posix_fallocate(stream->file, (off_t)stream->mapped, (off_t)chunk);
    if (error) return stop(error == ENOSPC || error == EDQUOT ? disk_full : cannot_write), false;
    void* place = mmap(stream->base + stream->mapped, chunk, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_FIXED, stream->file, (off_t)stream->mapped);
    if (place == MAP_FAILED) return stop(cannot_write), false;
    stream->mapped += chunk;
    return true;
}

/* Reserves addresses, fewer where the process may not have many. */
static bool open_stream(struct stream* stream, const char* folder, const char* kind, int rank) {
    char path[4096];
    if (snprintf(path, sizeof path, "%s/%s.%d", folder, kind, rank) >= (int)sizeof path)
        return false;
    stream->file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (stream->file < 0) return false;
    stream->base = MAP_FAILED;
    for (stream->reserved = (size_t)1 << 38; stream->reserved >= LAST_CHUNK;
         stream->reserved /= 4) {
        stream->base = mmap(NULL, stream->reserved, PROT_NONE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (stream->base != MAP_FAILED) break;
    }
    return stream->base != MAP_FAILED && grow(stream, sizeof(struct header));
}

bool open_store(const char* folder, int rank, int ranks) {
    if (!open_stream(&definitions, folder, "definitions", rank)) return false;
    header = (struct header*)definitions.base;
    definitions.used = sizeof *header;
    header->version = 1;
    header->rank = (uint32_t)rank;
    header->ranks = (uint32_t)ranks;
    header->function_count = function_count;
    header->status = recording;
    memcpy(header->magic, "TWRAW\n\0", 8);
    state.is_open = true;
    if (!open_stream(&events, folder, "events", rank)) return stop(cannot_write), false;
    return state.is_open;
}

static void close_stream(struct stream* stream) {
    if (stream->file < 0) return;
    if (ftruncate(stream->file, (off_t)stream->used)) {
        /* The file keeps zeros at its end, which readers skip. */
    }
    close(stream->file);
    stream->file = -1;
}

void close_store(enum status status) {
    if (!header) return;
    if (header->status == recording) header->status = status;
    header->events = events.used / sizeof(struct event_record);
    state.is_open = false;
    close_stream(&events);
    close_stream(&definitions);
}

uint64_t append_event(const struct event_record* record) {
    if (events.used + sizeof *record > events.mapped && !grow(&events, sizeof *record)) return 0;
    struct event_record* place = (struct event_record*)(events.base + events.used);
    place->computed_ns = record->computed_ns;
    place->processor_ns = record->processor_ns;
    place->inside_ns = record->inside_ns;
    /* A reader believes an event once it has a signature. */
    __atomic_store_n(&place->signature, record->signature, __ATOMIC_RELEASE);
    const uint64_t number = events.used / sizeof *record;
    events.used += sizeof *record;
    return number;
}

void replace_signature(uint64_t place, uint32_t signature) {
    struct event_record* all = (struct event_record*)events.base;
    if (signature && (place + 1) * sizeof *all <= events.used)
        __atomic_store_n(&all[place].signature, signature, __ATOMIC_RELEASE);
}

const void* define(enum definition kind, const void* const* parts, const size_t* sizes, int count) {
    size_t size = 0;
    for (int i = 0; i < count; ++i) size += sizes[i];
    const size_t whole = 8 + (size + 7) / 8 * 8;
    if (!state.is_open || size > UINT32_MAX) return NULL;
    if (definitions.used + whole > definitions.mapped && !grow(&definitions, whole)) return NULL;
    char *place = definitions.base + definitions.used, *content = place + 8;
    for (int i = 0; i < count; content += sizes[i++]) memcpy(content, parts[i], sizes[i]);
    const uint64_t head = (uint64_t)size << 32 | (uint64_t)kind;
    __atomic_store_n((uint64_t*)place, head, __ATOMIC_RELEASE);
    definitions.used += whole;
    return place + 8;
}

/* The open requests of this rank: their slots, and what receives have matched. */
#include <stdlib.h>
#include <string.h>

#include "recorder.h"

/* A request; several may have one handle, since libraries share that of completed sends. */
struct request {
    uint64_t handle;
    /* The event of the call, as it was posted. */
    struct event event;
    uint64_t place;
    /* From 0; or why a persistent request has none. */
    int64_t slot;
    bool is_persistent;
    bool is_cancelled;
    /* Its event is recorded, and still has to say what was matched. */
    bool is_receive;
    struct request* next;
};

/* A message that a matched probe has found. */
struct message {
    uint64_t handle;
    struct event probe;
    struct message* next;
};

enum { INACTIVE = -1, STARTED_UNRECORDED = -2 };
enum { BUCKETS = 4096 };
/* The requests of a bucket, in the order in which they were made. */
struct bucket {
    struct request *first, *last;
};
static struct bucket buckets[BUCKETS];
static struct request* spare;
static struct message* messages;
static uint64_t* open_slots;
static int64_t slot_words;
/* The handles that the call at hand overwrites. */
static uint64_t* saved;
static int saved_count, saved_space;
/* Slots whose requests the program has freed, or completed while recording was off. */
static int64_t *left, left_count, left_space;

static struct bucket* bucket_of(uint64_t handle) {
    return &buckets[(handle * 0x9e3779b97f4a7c15u) >> 52];
}

static int64_t take_slot(void) {
    for (int64_t word = 0;; ++word) {
        if (word == slot_words) {
            uint64_t* more = realloc(open_slots, (size_t)(slot_words + 16) * sizeof *more);
            if (!more) return -1;
            memset(more + slot_words, 0, 16 * sizeof *more);
            open_slots = more;
            slot_words += 16;
        }
        if (~open_slots[word]) {
            const int bit = __builtin_ctzll(~open_slots[word]);
            open_slots[word] |= (uint64_t)1 << bit;
            return word * 64 + bit;
        }
    }
}

static void free_slot(int64_t slot) {
    open_slots[slot / 64] &= ~((uint64_t)1 << (slot % 64));
}

static struct request* add_request(MPI_Request handle, const struct event* event) {
    struct request* made = spare;
    if (made)
        spare = made->next;
    else
        made = malloc(sizeof *made);
    if (!made) return NULL;
    *made = (struct request){.handle = BITS(handle), .event = *event, .slot = INACTIVE};
    struct bucket* bucket = bucket_of(made->handle);
    if (bucket->last)
        bucket->last->next = made;
    else
        bucket->first = made;
    return bucket->last = made;
}

/* Takes a request out of the table. */
static void drop_request(struct request* request) {
    struct bucket* bucket = bucket_of(request->handle);
    struct request *before = NULL, *at = bucket->first;
    for (; at && at != request; at = at->next) before = at;
    if (before)
        before->next = request->next;
    else
        bucket->first = request->next;
    if (bucket->last == request) bucket->last = before;
    release_arguments(&request->event);
    request->next = spare;
    spare = request;
}

static struct request* find_request(uint64_t handle) {
    struct request* at = bucket_of(handle)->first;
    while (at && (at->handle != handle || (at->is_persistent && at->slot < 0))) at = at->next;
    return at;
}

/* Finds a request whether it is active or not. */
static struct request* find_any(uint64_t handle) {
    struct request* at = bucket_of(handle)->first;
    while (at && at->handle != handle) at = at->next;
    return at;
}

/* Ends a request without a slot; false if there was nothing to wait for. */
static bool end_unrecorded(uint64_t handle) {
    const MPI_Request null = MPI_REQUEST_NULL;
    if (handle == BITS(null)) return false;
    struct request* known = find_any(handle);
    const bool was_active = !known || known->slot == STARTED_UNRECORDED;
    if (known && was_active) known->slot = INACTIVE;
    return was_active;
}

static void emit_other(struct event* event) {
    other(event);
    emit(event);
}

static bool is_unresolved(const struct event* event) {
    return event->call == CALL_recv || (event->call == CALL_sendrecv && event->count >= 6);
}

/* Adds the event of a request that has been started, with its slot. */
static void add_start(struct request* request, const struct event* event) {
    struct event started = *event;
    const int64_t* from = event->many ? event->many : event->few;
    int64_t* to = arguments_of(&started, event->count + 1);
    if (started.count == 0) return;
    memcpy(to, from, (size_t)event->count * sizeof *to);
    request->slot = to[event->count] = take_slot();
    request->is_cancelled = false;
    started.flags |= FLAG_nonblocking | (request->is_persistent ? FLAG_persistent : 0);
    request->is_receive = is_unresolved(event);
    if (request->is_receive) request->event.flags = started.flags;
    request->place = emit(&started);
}

void start_request(struct event* event, MPI_Request handle) {
    if (event->call == CALL_other) return (void)emit(event);
    const bool is_known = state.is_on && handle != MPI_REQUEST_NULL;
    struct request* request = is_known ? add_request(handle, event) : NULL;
    if (request) {
        /* Of an event that needs no answer only the slot is kept. */
        if (!is_unresolved(event)) request->event.many = NULL;
        add_start(request, event);
    }
    release_arguments(event);
}

void keep_request(struct event* event, MPI_Request handle) {
    if (event->call == CALL_other) return (void)emit(event);
    struct request* request = add_request(handle, event);
    if (request)
        request->is_persistent = true;
    else
        release_arguments(event);
}

void start_persistent(struct event* event, int count, const MPI_Request* requests) {
    bool is_known = count == 0;
    for (int i = 0; i < count; ++i) {
        const uint64_t handle = BITS(requests[i]);
        struct request* at = bucket_of(handle)->first;
        while (at && (at->handle != handle || !at->is_persistent)) at = at->next;
        is_known = is_known || at;
        if (!at || at->slot >= 0) continue;
        at->slot = STARTED_UNRECORDED;
        at->event.site = event->site;
        if (state.is_on) add_start(at, &at->event);
    }
    if (!is_known) emit_other(event);
}

void save_requests(int count, const MPI_Request* requests) {
    if (count > saved_space) {
        uint64_t* more = realloc(saved, (size_t)count * 2 * sizeof *more);
        if (!more) return;
        saved = more;
        saved_space = 2 * count;
    }
    saved_count = count;
    for (int i = 0; i < count; ++i) saved[i] = BITS(requests[i]);
}

/* Writes what a receive has matched into its event; without a status it was cancelled. */
static void resolve(struct request* request, const MPI_Status* status) {
    struct event event = request->event;
    int64_t* message = event.few + (event.call == CALL_sendrecv ? 3 : 0);
    int is_cancelled = status == NULL;
    if (state.has_cancelled && status) real.Test_cancelled(status, &is_cancelled);
    if (is_cancelled || message[0] == NO_PEER) {
        message[0] = NO_PEER;
        message[1] = message[2] = 0;
    } else if (HAS_EXCHANGE_STATUS || event.call == CALL_recv || event.flags & FLAG_wildcard) {
        MPI_Count bytes = 0;
        real.Get_elements_x(status, MPI_BYTE, &bytes);
        message[0] = status->MPI_SOURCE - request->event.rank;
        message[1] = status->MPI_TAG;
        message[2] = bytes;
    }
    event.few[event.count++] = request->slot;
    event.many = NULL;
    replace_signature(request->place, signature_of(&event));
}

/* Ends a request and returns its slot; -1 if it is not known. */
static int64_t finish(uint64_t handle, const MPI_Status* status) {
    struct request* request = find_request(handle);
    if (!request) return -1;
    if (request->is_receive && status) resolve(request, status);
    const int64_t slot = request->slot;
    request->slot = INACTIVE;
    if (!request->is_persistent) drop_request(request);
    return slot;
}

static void leave_open(int64_t slot) {
    if (left_count == left_space) {
        int64_t* more = realloc(left, (size_t)(2 * left_space + 16) * sizeof *more);
        if (!more) return;
        left = more;
        left_space = 2 * left_space + 16;
    }
    left[left_count++] = slot;
}

/* Makes `event` the wait for `found` slots, which are its arguments. Without any it is a call of
 * which only the time is known, if it has ended other requests. */
static void close_found(struct event* event, int64_t found, bool has_unrecorded) {
    const int64_t* slots = event->many ? event->many : event->few;
    for (int64_t i = 0; i < found; ++i) {
        if (state.is_on)
            free_slot(slots[i]);
        else
            leave_open(slots[i]);
    }
    event->count = found;
    if (found && state.is_on) return (void)emit(event);
    release_arguments(event);
    if (has_unrecorded && state.is_on) emit_other(event);
}

void completed(struct event* event, int count, const int* indices, const MPI_Status* statuses,
               int64_t flags) {
    event->call = CALL_wait;
    event->flags = flags;
    int64_t* slots = arguments_of(event, count);
    int64_t found = 0;
    bool has_unrecorded = false;
    for (int i = 0; i < count && event->count == count; ++i) {
        const int index = indices ? indices[i] : i;
        if (index < 0 || index >= saved_count) continue;
        const int64_t slot = finish(saved[index], statuses ? &statuses[i] : NULL);
        if (slot >= 0)
            slots[found++] = slot;
        else
            has_unrecorded |= end_unrecorded(saved[index]);
    }
    close_found(event, found, has_unrecorded);
}

/* Reports whether a call with an error has ended a request. A persistent one keeps its handle. */
static bool has_ended(uint64_t before, MPI_Request now, bool is_told) {
    const MPI_Request null = MPI_REQUEST_NULL;
    if (before == BITS(null)) return false;
    if (BITS(now) == BITS(null)) return true;
    const struct request* known = find_any(before);
    return is_told && known && known->is_persistent;
}

void failed(struct event* event, int result, int count, const MPI_Request* requests,
            const MPI_Status* statuses) {
    int class = MPI_SUCCESS;
    real.Error_class(result, &class);
    const bool has_each = class == MPI_ERR_IN_STATUS;
    if (!has_each && count > 1) statuses = NULL;
    event->call = CALL_wait;
    int64_t* slots = arguments_of(event, count);
    int64_t found = 0;
    bool has_unrecorded = false;
    for (int i = 0; i < count && i < saved_count && event->count == count; ++i) {
        const bool is_told =
            has_each ? !statuses || statuses[i].MPI_ERROR != MPI_ERR_PENDING : count == 1;
        if (!has_ended(saved[i], requests[i], is_told)) continue;
        const int64_t slot = finish(saved[i], statuses ? &statuses[i] : NULL);
        if (slot >= 0)
            slots[found++] = slot;
        else
            has_unrecorded |= end_unrecorded(saved[i]);
    }
    close_found(event, found, has_unrecorded);
}

int64_t open_slot(void) {
    return take_slot();
}

void close_slots(struct event* event, int64_t count, const int64_t* slots) {
    event->call = CALL_wait;
    int64_t* arguments = arguments_of(event, count);
    if (event->count != count) return;
    memcpy(arguments, slots, (size_t)count * sizeof *slots);
    close_found(event, count, false);
}

static MPI_Status freed_status;
static int is_freed_complete;

void ask_request(MPI_Request request) {
    save_requests(1, &request);
    const struct request* at = find_any(BITS(request));
    is_freed_complete = 0;
    if (at && at->slot >= 0 && at->is_receive)
        real.Request_get_status(request, &is_freed_complete, &freed_status);
}

void free_request(struct event* event) {
    struct request* at = saved_count ? find_any(saved[0]) : NULL;
    if (!at) return emit_other(event);
    if (at->slot >= 0 && at->is_receive && (is_freed_complete || at->is_cancelled)) {
        resolve(at, is_freed_complete ? &freed_status : NULL);
        event->call = CALL_wait;
        *arguments_of(event, 1) = at->slot;
        close_found(event, 1, false);
    } else if (at->slot >= 0) {
        leave_open(at->slot);
    }
    drop_request(at);
}

void cancel_request(struct event* event, MPI_Request request) {
    state.has_cancelled = true;
    struct request* at = find_any(BITS(request));
    if (at)
        at->is_cancelled = true;
    else
        emit_other(event);
}

void complete_rest(uint64_t site) {
    for (int i = 0; i < BUCKETS; ++i)
        for (struct request* at = buckets[i].first; at; at = at->next)
            if (at->slot >= 0 && !at->is_receive) leave_open(at->slot);
    if (!left_count) return;
    struct event event = {.call = CALL_wait, .site = site};
    int64_t* slots = arguments_of(&event, left_count);
    if (event.count == left_count) memcpy(slots, left, (size_t)left_count * sizeof *slots);
    left_count = 0;
    emit(&event);
}

void keep_message(const struct event* probe, MPI_Message handle) {
    struct message* made = malloc(sizeof *made);
    if (!made) return;
    *made = (struct message){BITS(handle), *probe, messages};
    messages = made;
}

void take_message(struct event* receive, MPI_Message handle) {
    const uint64_t bits = BITS(handle);
    for (struct message** at = &messages; *at; at = &(*at)->next) {
        if ((*at)->handle != bits) continue;
        struct message* found = *at;
        const uint64_t site = receive->site;
        *at = found->next;
        if (found->probe.call == CALL_other) {
            ++header->foreign;
            free(found);
            break;
        }
        *receive = found->probe;
        receive->call = CALL_recv;
        receive->site = site;
        free(found);
        return;
    }
    other(receive);
}

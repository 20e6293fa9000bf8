/// The MPI calls behind the calls of a rank.
#include "tradewind/mpi/mpi_comm.hpp"

#include <algorithm>
#include <climits>
#include <exception>
#include <thread>
#include <utility>

#include "tradewind/mpi/announcement.hpp"
#include "tradewind/mpi/byte_type.hpp"
#include "tradewind/mpi/own_collectives.hpp"

namespace tradewind::mpi {

namespace {

/// The calls of MPI_Testany before a wait for any message leaves its core to other processes
/// between calls. MPI_Waitany of MPICH never does, even with more processes than cores.
constexpr std::int64_t polls_before_yield = 1000;
/// The slot of a put that no recording has.
constexpr std::int64_t not_recorded = -1;

MPI_Comm duplicate(MPI_Comm comm) {
    MPI_Comm result = MPI_COMM_NULL;
    const BlockingCall call("MPI_Comm_dup");
    check(MPI_Comm_dup(comm, &result), "MPI_Comm_dup");
    check(MPI_Comm_set_errhandler(result, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    return result;
}

std::uint32_t largest_tag(MPI_Comm comm) {
    int* value = nullptr;
    int found = 0;
    check(MPI_Comm_get_attr(comm, MPI_TAG_UB, static_cast<void*>(&value), &found),
          "MPI_Comm_get_attr");
    return found != 0 ? std::uint32_t(*value) : 32767;
}

/// Starts a send. A message of more than 2^31 - 1 bytes, the largest count of MPI, needs a few more
/// calls for its type.
int send_bytes(const void* data, Bytes size, int to, int tag, MPI_Comm comm, SendMode mode,
               MPI_Request* request) {
    if (mode == SendMode::standard && size <= INT_MAX) [[likely]]
        return MPI_Isend(data, int(size), MPI_BYTE, to, tag, comm, request);
    const ByteType bytes(size);
    switch (mode) {
        case SendMode::synchronous:
            return MPI_Issend(data, bytes.count(), bytes.type(), to, tag, comm, request);
        case SendMode::ready:
            return MPI_Irsend(data, bytes.count(), bytes.type(), to, tag, comm, request);
        case SendMode::standard:
            break;
    }
    return MPI_Isend(data, bytes.count(), bytes.type(), to, tag, comm, request);
}

int receive_bytes(void* data, Bytes size, int from, int tag, MPI_Comm comm, MPI_Request* request) {
    if (size <= INT_MAX) [[likely]]
        return MPI_Irecv(data, int(size), MPI_BYTE, from, tag, comm, request);
    const ByteType bytes(size);
    return MPI_Irecv(data, bytes.count(), bytes.type(), from, tag, comm, request);
}

/// Returns what describes the receive (0) or the send (1) of an exchange.
Slot slot_of(const MessagePair& pair, Envelope envelope, int number) {
    const bool is_receive = number == 0;
    Slot slot;
    slot.kind = is_receive ? Slot::RequestKind::receive : Slot::RequestKind::send;
    slot.peer = std::int32_t(is_receive ? pair.from : pair.to);
    slot.envelope = envelope;
    slot.size = is_receive ? pair.in.size() : pair.out.size();
    return slot;
}

/// Waits for all requests. Statuses are ignored, because MPICH has a faster path without them. Open
/// MPI 4 does not return from MPI_Waitall if the process may have threads and a request had failed
/// before; hence it uses MPI_Wait.
int wait_for(int count, MPI_Request* open) {
#ifdef OPEN_MPI
    int code = MPI_SUCCESS;
    for (int i = 0; i < count && code == MPI_SUCCESS; ++i) {
        code = MPI_Wait(&open[i], MPI_STATUS_IGNORE);
    }
    return code;
#else
    return count == 1 ? MPI_Wait(open, MPI_STATUS_IGNORE)
                      : MPI_Waitall(count, open, MPI_STATUSES_IGNORE);
#endif
}

/// Returns the descriptions of the requests that are not complete, of which `describe` describes
/// the i-th one.
template <class Describe>
std::string open_requests(int count, const MPI_Request* requests, const Describe& describe) {
    constexpr int most = 4;
    std::string list;
    int open = 0;
    for (int i = 0; i < count; ++i) {
        int done = 1;
        if (MPI_Request_get_status(requests[i], &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) continue;
        if (done != 0 || ++open > most) continue;
        list += text(open > 1 ? ", " : "", describe(i));
    }
    if (open > most) list += text(" and ", open - most, " more");
    return list;
}

/// Returns whether a buffer can be passed to MPI without scratch memory and without another type.
[[nodiscard]] bool is_direct(ConstBuffer buffer) noexcept {
    return buffer.size() <= INT_MAX && (!buffer.is_null() || buffer.size() == 0);
}

}  // namespace

std::string description(const Slot& slot) {
    switch (slot.kind) {
        case Slot::RequestKind::send:
            return text("send of ", slot.size, " bytes to rank ", slot.peer, " (tag ",
                        slot.envelope.tag, ")");
        case Slot::RequestKind::receive:
            return text("receive of at most ", slot.size, " bytes from rank ", slot.peer, " (tag ",
                        slot.envelope.tag, ")");
        case Slot::RequestKind::put:
            break;
    }
    return text("put of ", slot.size, " bytes to rank ", slot.peer);
}

/// Waits by polling, for the sake of puts and of the watchdog. `describe` describes the i-th
/// request.
template <class Describe>
int MpiComm::poll_for(int count, MPI_Request* open, const Describe& describe) {
    const BlockingCall call(polled_messages);
    for (std::int64_t polls = 0;; ++polls) {
        if (must_poll()) poll_puts();
        int done = 0;
        const int code = MPI_Testall(count, open, &done, MPI_STATUSES_IGNORE);
        if (code != MPI_SUCCESS || done != 0) return code;
        BlockingCall::poll([&] { return open_requests(count, open, describe); });
        if (must_poll()) {
            puts_->give_way();
        } else {
            Watchdog::give_way(polls);
        }
    }
}

MpiComm::MpiComm(MPI_Comm comm, std::string puts)
    : way_to_put_(std::move(puts)), exceptions_(std::uncaught_exceptions()) {
    (void)put_backend(way_to_put_);
    Watchdog::join(comm);
    int rank = 0;
    int size = 0;
    world_ = duplicate(comm);
    sub_ = duplicate(comm);
    puts_comm_ = duplicate(comm);
    check(MPI_Comm_rank(world_, &rank), "MPI_Comm_rank");
    check(MPI_Comm_size(world_, &size), "MPI_Comm_size");
    rank_ = rank;
    size_ = size;
    coroutines_ = &own_coroutines_;
    own_coroutines_.calls_block = true;
    largest_tag_ = largest_tag(world_);
    library_ = std::make_unique<OwnCollectives>(*this);
    sub_tags_ = std::make_unique<SubTags>(int(largest_tag_));
    {
        const BlockingCall call("MPI_Barrier, which ends the creation of a communicator");
        check(MPI_Barrier(world_), "MPI_Barrier");
    }
    start_ = Clock::now();
}

MpiComm::~MpiComm() {
    int finalized = 0;
    MPI_Finalized(&finalized);
    // These calls are collective: a rank that leaves by an exception would wait for the others.
    if (finalized != 0 || std::uncaught_exceptions() > exceptions_) return;
    if (Watchdog::is_on()) end_if_unreceived();
    library_->free();
    try {
        const AnnouncedCall hidden;
        if (puts_) puts_->finish();
    } catch (const MpiError&) {
        return;
    }
    const BlockingCall call("MPI_Comm_free");
    for (MPI_Comm* comm : {&world_, &sub_, &puts_comm_}) MPI_Comm_free(comm);
}

/// Ends the job if a message has come for which this rank has no receive.
void MpiComm::end_if_unreceived() {
    constexpr int polls = 100;
    {
        const BlockingCall call("MPI_Barrier, which ends a communicator");
        MPI_Barrier(world_);
    }
    int found = 0;
    MPI_Status status;
    for (int n = 0; n < polls && found == 0; ++n) {
        for (MPI_Comm comm : {world_, sub_}) {
            if (found == 0) MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &found, &status);
        }
    }
    if (found == 0) return;
    int size = 0;
    MPI_Get_count(&status, MPI_BYTE, &size);
    Watchdog::end_job(text("has ended with a message of ", size, " bytes from rank ",
                           status.MPI_SOURCE, " (tag ", status.MPI_TAG,
                           ") that it never received"));
}

LibraryCollectives* MpiComm::library() noexcept {
    return library_.get();
}

Picoseconds MpiComm::now() const noexcept {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start_).count() *
           1000;
}

Request MpiComm::start_send(Rank to, ConstBuffer data, Envelope envelope, SendMode mode) {
    const Address there = address(envelope);
    const Request request = requests_.open(Slot::RequestKind::send, to, envelope, data.size());
    Slot& slot = requests_[request];
    const void* const source = data.is_null() ? slot.scratch.at_least(data.size()) : data.data();
    check(send_bytes(source, data.size(), slot.peer, there.tag, there.comm, mode, &slot.request),
          "MPI_Isend");
    ++messages_sent_;
    bytes_sent_ += data.size();
    return request;
}

Request MpiComm::start_receive(Rank from, Buffer data, Envelope envelope) {
    const Address here = address(envelope);
    const Request request = requests_.open(Slot::RequestKind::receive, from, envelope, data.size());
    Slot& slot = requests_[request];
    void* const target = data.is_null() ? slot.scratch.at_least(data.size()) : data.data();
    check(receive_bytes(target, data.size(), slot.peer, here.tag, here.comm, &slot.request),
          "MPI_Irecv");
    phases_.receive(data.size());
    return request;
}

/// Exchanges messages with blocking calls and without slots; most messages of most algorithms take
/// this path.
RequestPair MpiComm::start_exchange(const MessagePair& pair, Envelope envelope) {
    if (puts_ || !is_direct(pair.in) || !is_direct(pair.out)) [[unlikely]]
        return Comm::start_exchange(pair, envelope);
    const Address there = address(envelope);
    MPI_Request open[2];
    check(MPI_Irecv(pair.in.data(), int(pair.in.size()), MPI_BYTE, int(pair.from), there.tag,
                    there.comm, &open[0]),
          "MPI_Irecv");
    check(MPI_Isend(pair.out.data(), int(pair.out.size()), MPI_BYTE, int(pair.to), there.tag,
                    there.comm, &open[1]),
          "MPI_Isend");
    ++messages_sent_;
    bytes_sent_ += pair.out.size();
    phases_.receive(pair.in.size());
    const PhaseTimes::Blocked blocked(phases_);
    const auto describe = [&](int i) { return description(slot_of(pair, envelope, i)); };
    const int code = Watchdog::is_on() ? poll_for(2, open, describe) : wait_for(2, open);
    if (code != MPI_SUCCESS) [[unlikely]]
        fail_in(pair, envelope, code);
    return {};
}

Puts& MpiComm::open_puts() {
    const AnnouncedCall hidden;
    if (!puts_) puts_ = put_backend(way_to_put_).make(puts_comm_);
    puts_->settle();
    return *puts_;
}

Window MpiComm::expose(Buffer memory, std::int32_t signals) {
    Puts& puts = open_puts();
    const AnnouncedCall hidden;
    return puts.expose(memory, signals);
}

OwnWindow MpiComm::allocate(Bytes size, bool /*has_data*/, std::int32_t signals) {
    Puts& puts = open_puts();
    const AnnouncedCall hidden;
    return puts.allocate(size, signals);
}

Request MpiComm::start_put(Rank to, Window window, Bytes offset, ConstBuffer data,
                           std::int32_t signal) {
    if (!puts_) throw ConfigError(text("rank ", rank_, " puts before it has exposed a window"));
    const Request request = requests_.open(Slot::RequestKind::put, to, {}, data.size());
    Slot& slot = requests_[request];
    AnnouncedCall put;
    slot.request = puts_->start({slot.peer, window, signal, offset, data}, slot.scratch);
    std::int64_t arguments[] = {window.id, to - rank_, data.size(), signal, not_recorded};
    put.is("put_signal", world_, arguments);
    slot.recorded = arguments[4];
    return request;
}

/// Tells a recording that puts are complete, after those requests that MPI itself has completed.
void MpiComm::announce_complete(std::span<const Request> requests) {
    std::vector<std::int64_t> slots;
    for (const Request request : requests) {
        if (request.is_null()) continue;
        std::int64_t& slot = requests_[request].recorded;
        if (slot != not_recorded) slots.push_back(std::exchange(slot, not_recorded));
    }
    if (slots.empty()) return;
    AnnouncedCall wait;
    wait.is("wait", world_, slots);
}

// ---- waiting ----

bool MpiComm::begin_wait(Waiting& waiting) {
    const PhaseTimes::Blocked blocked(phases_);
    if (puts_) settle();
    const auto list = [&] { return std::span(waiting.requests, std::size_t(waiting.count)); };
    if (waiting.what_for == Waiting::For::all) [[likely]] {
        wait_all(list());
        return true;
    }
    switch (waiting.what_for) {
        case Waiting::For::all:
        case Waiting::For::any:
        case Waiting::For::test:
            waiting.index =
                std::int32_t(find_complete(list(), waiting.what_for == Waiting::For::any));
            break;
        case Waiting::For::signal:
            wait_signal(waiting);
            break;
        case Waiting::For::compute:
        case Waiting::For::elapse:
        case Waiting::For::post_notice:
        case Waiting::For::complete_notice:
            break;
    }
    return true;
}

/// Completes the puts that were started.
void MpiComm::settle() {
    const AnnouncedCall hidden;
    puts_->settle();
}

/// Takes in the puts of others.
void MpiComm::poll_puts() {
    const AnnouncedCall hidden;
    puts_->poll();
}

void MpiComm::suspend(std::coroutine_handle<> /*leaf*/) noexcept {
    std::terminate();  // begin_wait always returns true
}

/// Returns room for the MPI requests of one wait.
MPI_Request* MpiComm::room(std::size_t count) {
    if (gathered_.size() < count) gathered_.resize(count);
    return gathered_.data();
}

void MpiComm::wait_all(std::span<Request> requests) {
    MPI_Request few[4];
    MPI_Request* const open = requests.size() <= std::size(few) ? few : room(requests.size());
    int count = 0;
    for (const Request request : requests) {
        if (!request.is_null()) open[count++] = requests_[request].request;
    }
    if (count == 0) return;
    const auto describe = [&](int i) {
        const auto is_next = [&](Request request) { return !request.is_null() && i-- == 0; };
        return description(requests_[*std::ranges::find_if(requests, is_next)]);
    };
    const bool polls = must_poll() || Watchdog::is_on();
    const int code = polls ? poll_for(count, open, describe) : wait_for(count, open);
    if (code != MPI_SUCCESS) fail_in(requests, code);
    if (puts_) announce_complete(requests);
    for (Request& request : requests) {
        if (!request.is_null()) requests_.close(request);
    }
}

/// Returns the index of a complete request, which it closes; -1 if all are null, or if none is
/// complete and `wait` is false.
std::int64_t MpiComm::find_complete(std::span<Request> requests, bool wait) {
    if (requests.empty()) return -1;
    MPI_Request* const open = room(requests.size());
    const auto count = int(requests.size());
    int index = MPI_UNDEFINED;
    for (int i = count - 1; i >= 0; --i) {
        const Request request = requests[std::size_t(i)];
        open[i] = request.is_null() ? MPI_REQUEST_NULL : requests_[request].request;
        // A put without a request is complete.
        if (open[i] == MPI_REQUEST_NULL && !request.is_null()) index = i;
    }
    const BlockingCall call(wait ? polled_messages : nullptr);
    const auto describe = [&](int i) { return description(requests_[requests[std::size_t(i)]]); };
    std::int64_t polls = 0;
    for (int done = index != MPI_UNDEFINED ? 1 : 0; done == 0; ++polls) {
        if (must_poll()) poll_puts();
        const int code = MPI_Testany(count, open, &index, &done, MPI_STATUS_IGNORE);
        if (code != MPI_SUCCESS) {
            const bool known = index >= 0 && index < count;
            fail_in(known ? requests.subspan(std::size_t(index), 1) : requests, code);
        }
        if (!wait || done != 0) break;
        BlockingCall::poll([&] { return text("any of: ", open_requests(count, open, describe)); });
        if (must_poll()) {
            puts_->give_way();
        } else if (polls >= polls_before_yield) {
            std::this_thread::yield();
        }
    }
    if (index == MPI_UNDEFINED) return -1;
    if (puts_) announce_complete(requests.subspan(std::size_t(index), 1));
    requests_.close(requests[std::size_t(index)]);
    return index;
}

void MpiComm::wait_signal(const Waiting& waiting) {
    if (!puts_) throw ConfigError(text("rank ", rank_, " waits for a signal of no window"));
    const Window window{waiting.window};
    AnnouncedCall wait;
    const BlockingCall call(polled_messages);
    // After a few polls at full speed the rank yields its core, since there may be more ranks than
    // cores.
    for (int polls = 0; puts_->arrived(window, waiting.index) < waiting.count; ++polls) {
        puts_->poll();
        BlockingCall::poll([&] {
            return text(waiting.count, " puts at signal ", waiting.index, " of window ", window.id,
                        ", of which ", puts_->arrived(window, waiting.index), " have come");
        });
        if (polls > 100) puts_->give_way();
    }
    std::int64_t arguments[] = {window.id, waiting.index, waiting.count};
    wait.is("wait_signal", world_, arguments);
}

/// Throws an MpiError that names the requests of the wait, one of which has failed.
void MpiComm::fail_in(std::span<const Request> requests, int code) {
    std::string what;
    int open = 0;
    for (const Request request : requests) {
        if (request.is_null() || ++open > 3) continue;
        what += text(open > 1 ? " or " : "", description(requests_[request]));
    }
    if (open > 3) what += text(" or one of ", open - 3, " more");
    int category = code;
    MPI_Error_class(code, &category);
    const bool unknown = category == MPI_ERR_IN_STATUS;
    throw MpiError(text("rank ", rank_, ": ", what, " failed: ",
                        unknown ? "most often this is a truncated message, longer than its receive"
                                : error_text(code)));
}

void MpiComm::fail_in(const MessagePair& pair, Envelope envelope, int code) {
    const Request both[] = {
        requests_.open(Slot::RequestKind::receive, pair.from, envelope, pair.in.size()),
        requests_.open(Slot::RequestKind::send, pair.to, envelope, pair.out.size())};
    fail_in(both, code);
}

MPI_Comm communicator_of(const Comm& comm) {
    const auto* const own = dynamic_cast<const MpiComm*>(&comm);
    if (own == nullptr) throw ConfigError("native collectives need an MPI communicator");
    return own->communicator();
}

void do_charged_work(Comm& comm) {
    if (auto* const own = dynamic_cast<MpiComm*>(&comm)) own->do_charged_work();
}

void run(Comm& comm, const Program& program) {
    Task task = program(comm);
    task.start();
    task.rethrow();
}

}  // namespace tradewind::mpi

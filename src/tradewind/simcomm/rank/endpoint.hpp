/// Endpoint: the sends, receives and puts of one simulated rank.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>

#include "tradewind/comm/comm.hpp"
#include "tradewind/simcomm/messages/rendezvous.hpp"
#include "tradewind/simcomm/rank/match_list.hpp"
#include "tradewind/simcomm/rank/rank_context.hpp"
#include "tradewind/simcomm/rank/rank_wait.hpp"
#include "tradewind/simcomm/rank/weak_progress.hpp"
#include "tradewind/simcomm/rank/windows.hpp"

namespace tradewind::simcomm {

/// The destination of a put.
struct PutPlace {
    Rank to = 0;
    Window window;
    Bytes offset = 0;
    std::int32_t signal = 0;
};

/// Returns a new request of a rank.
[[nodiscard]] inline std::uint32_t open_request(const RankContext& rank, RequestRecord::Kind kind,
                                                Rank peer, Envelope envelope, Picoseconds now) {
    RequestPool& requests = rank.messaging().requests();
    const std::uint32_t index = requests.take(rank.worker->index());
    RequestRecord& record = requests[index];
    record.posted = now;
    record.owner = rank.rank;
    record.peer = std::uint32_t(peer);
    record.envelope = envelope;
    record.kind = kind;
    if (CriticalPath* const path = rank.path(); path != nullptr) [[unlikely]]
        path->post(rank.rank, index);
    return index;
}

/// A request that has completed; `none` if there is none.
struct Completion {
    std::uint32_t request = none;
    Picoseconds time = 0;
};

/// The endpoint of one rank. Starting a message keeps the rank busy: its `clock` advances.
class Endpoint {
public:
    Request send(const RankContext& rank, Picoseconds& clock, Rank to, ConstBuffer data,
                 Envelope envelope, SendMode mode);
    Request put(const RankContext& rank, Picoseconds& clock, const PutPlace& place,
                ConstBuffer data);
    /// Starts an access to the memory of a rank, see SimulatedCalls.
    RequestPair access(const RankContext& rank, Picoseconds& clock, AccessKind kind, Rank to,
                       Bytes bytes, bool returns_buffer);
    /// Sends a message without data about a window: a notice, or one about its lock. Returns the
    /// request of a lock.
    Request tell(const RankContext& rank, Picoseconds& clock, MessageKind kind, Rank to,
                 std::uint32_t window, bool is_exclusive);
    Request receive(const RankContext& rank, Picoseconds clock, Rank from, Buffer data,
                    Envelope envelope);
    /// Takes a message that looks for its receive. Returns the receive if that is complete now.
    [[nodiscard]] Completion message_arrived(const RankContext& rank, sim::MessageId id,
                                             Picoseconds time);
    /// Sends the data of a message whose answer has come at `time`.
    void answered(const RankContext& rank, sim::MessageId id, Picoseconds time) {
        const Rendezvous rendezvous(rank.messaging(), *rank.worker);
        rendezvous.send_data(id, notice(rank, id, time));
    }
    // What a library with weak progress must know of the rank.
    void compute(const RankContext& rank, Picoseconds now) {
        if (rank.messaging().costs().has_weak_progress) [[unlikely]]
            progress().compute(now);
    }
    void call(const RankContext& rank, Picoseconds now) {
        if (rank.messaging().costs().has_weak_progress) [[unlikely]]
            progress().call(now, rank.worker->now());
    }
    /// Makes a task beside the program wait for a call of the program, if it must.
    void wait_for_call(const RankContext& rank, RankWait& wait) {
        if (rank.messaging().costs().has_weak_progress) [[unlikely]]
            wait.notice(rank, progress().notice(wait.now()));
    }
    /// Returns the windows of the rank, which takes memory for them at the first call.
    [[nodiscard]] Windows& windows() {
        if (!windows_) windows_ = std::make_unique<Windows>();
        return *windows_;
    }
    /// Returns the same, or null before that call.
    [[nodiscard]] Windows* windows_if_any() const noexcept { return windows_.get(); }
    /// Asks for the memory of the receive for `message`.
    void prefetch(RequestPool& requests, const sim::Message& message) noexcept {
        posted_.prefetch(requests, match_key(message));
    }

private:
    [[noreturn]] static void refuse(std::uint32_t rank, const RequestRecord& receive,
                                    const sim::Message& message);
    [[nodiscard]] sim::MessageId new_message(const RankContext& rank, Picoseconds& clock, Rank to,
                                             ConstBuffer data, Envelope envelope);
    void address(const RankContext& rank, sim::MessageId id, Rank to, Envelope envelope);
    [[nodiscard]] bool match(const RankContext& rank, std::uint32_t request, sim::MessageId id,
                             Picoseconds time);
    /// Returns when the library notices that a step of a rendezvous is due at `time`. Within a node
    /// the receiver copies by itself.
    [[nodiscard]] Picoseconds notice(const RankContext& rank, sim::MessageId id, Picoseconds time) {
        Messaging& messaging = rank.messaging();
        const bool is_at_once =
            !messaging.costs().has_weak_progress || messaging.same_node(messaging.messages()[id]);
        if (is_at_once) return time;
        const Picoseconds noticed = progress().notice(time);
        if (CriticalPath* const path = rank.path(); path != nullptr) [[unlikely]]
            path->delay(messaging.messages()[id], id, PathKind::progress, noticed);
        return noticed;
    }
    [[nodiscard]] WeakProgress& progress() {
        if (!progress_) progress_ = std::make_unique<WeakProgress>();
        return *progress_;
    }

    MatchList<RequestRecord> posted_;
    MatchList<sim::Message> unexpected_;
    std::unique_ptr<Windows> windows_;
    std::unique_ptr<WeakProgress> progress_;
    /// The number of messages that the rank has started.
    std::uint32_t sequence_ = 0;
};

// ---- what every message touches ----

inline sim::MessageId Endpoint::new_message(const RankContext& rank, Picoseconds& clock, Rank to,
                                            ConstBuffer data, Envelope envelope) {
    Messaging& messaging = rank.messaging();
    const RankParameters& costs = messaging.costs();
    const Bytes more = std::max<Bytes>(data.size() - 1, 0);
    clock += costs.send_overhead + Picoseconds(costs.overhead_per_byte_ps * double(more));
    rank.keep_busy(PathKind::overhead, clock);
    const std::uint32_t to_nic = messaging.nic_of(to);
    const sim::MessageId id = messaging.take(*rank.worker, to_nic, data.size());
    address(rank, id, to, envelope);
    sim::Message& message = messaging.messages()[id];
    message.size = data.size();
    if (!data.is_null() && data.size() > 0) {
        message.payload = std::make_unique_for_overwrite<std::byte[]>(std::size_t(data.size()));
        std::memcpy(message.payload.get(), data.data(), std::size_t(data.size()));
    }
    return id;
}

/// Fills in the ends of a new message.
inline void Endpoint::address(const RankContext& rank, sim::MessageId id, Rank to,
                              Envelope envelope) {
    Messaging& messaging = rank.messaging();
    sim::Message& message = messaging.messages()[id];
    message.source_rank = rank.rank;
    message.destination_rank = std::uint32_t(to);
    message.context = envelope.context;
    message.tag = envelope.tag;
    message.sequence = sequence_++;
    messaging.assign_interfaces(message, rank.nic, messaging.nic_of(to));
}

inline Request Endpoint::send(const RankContext& rank, Picoseconds& clock, Rank to,
                              ConstBuffer data, Envelope envelope, SendMode mode) {
    call(rank, clock);
    Messaging& messaging = rank.messaging();
    const sim::MessageId id = new_message(rank, clock, to, data, envelope);
    sim::Message& message = messaging.messages()[id];
    const RankParameters& costs = messaging.costs();
    const bool ready = mode == SendMode::ready &&
                       (messaging.is_eager(message) || !messaging.costs().has_ready_rendezvous);
    const bool synchronous = mode == SendMode::synchronous;
    if (mode == SendMode::ready) clock += costs.ready_overhead;
    if (synchronous) clock += costs.synchronous_overhead;
    rank.keep_busy(PathKind::overhead, clock);
    if (!synchronous && messaging.is_eager(message)) {
        clock += Picoseconds(costs.send_copy_ps * double(data.size()));
        rank.keep_busy(PathKind::overhead, clock);
        messaging.launch(*rank.worker, id, ready ? MessageKind::ready : MessageKind::eager, clock);
        return {};
    }
    // A message that is too long to be put aside occupies its buffer until it has left the node.
    message.send_request = open_request(rank, RequestRecord::Kind::send, to, envelope, clock);
    const Request request{message.send_request};
    if (ready) {
        messaging.launch(*rank.worker, id, MessageKind::ready, clock);
    } else {
        Rendezvous(messaging, *rank.worker).announce(id, clock);
    }
    return request;
}

inline Request Endpoint::receive(const RankContext& rank, Picoseconds clock, Rank from, Buffer data,
                                 Envelope envelope) {
    call(rank, clock);
    Messaging& messaging = rank.messaging();
    const std::uint32_t request =
        open_request(rank, RequestRecord::Kind::receive, from, envelope, clock);
    RequestRecord& record = messaging.requests()[request];
    record.data = data.data();
    record.size = data.size();
    const sim::MessageId id = unexpected_.take(messaging.messages(), match_key(record));
    if (id == sim::no_message) {
        posted_.append(messaging.requests(), request);
        return Request{request};
    }
    const Picoseconds arrival = messaging.messages()[id].arrival;
    const Picoseconds time = std::max(clock, arrival);
    if (CriticalPath* const path = rank.path(); path != nullptr) [[unlikely]]
        path->match(id, request, arrival, clock);
    if (match(rank, request, id, time)) record.time = time;
    return Request{request};
}

/// Matches a message with its receive at `time`. Returns true if the receive is complete then.
inline bool Endpoint::match(const RankContext& rank, std::uint32_t request, sim::MessageId id,
                            Picoseconds time) {
    Messaging& messaging = rank.messaging();
    const sim::Message& message = messaging.messages()[id];
    RequestRecord& record = messaging.requests()[request];
    const bool is_late = kind_of(message) == MessageKind::ready && record.posted > message.arrival;
    if (message.size > record.size || is_late) refuse(rank.rank, record, message);
    if (kind_of(message) == MessageKind::request_to_send) {
        Rendezvous(messaging, *rank.worker).answer(id, request, notice(rank, id, time));
        return false;
    }
    if (CriticalPath* const path = rank.path(); path != nullptr) [[unlikely]]
        path->complete(id, request);
    copy_payload(message, record.data);
    record.size = message.size;
    record.path = message.send_request == none ? ReceivePath::buffered : ReceivePath::direct;
    messaging.give(*rank.worker, id);
    return true;
}

inline Completion Endpoint::message_arrived(const RankContext& rank, sim::MessageId id,
                                            Picoseconds time) {
    Messaging& messaging = rank.messaging();
    sim::Message& message = messaging.messages()[id];
    message.arrival = time;
    const std::uint32_t request = posted_.take(messaging.requests(), match_key(message));
    if (request == none) {
        unexpected_.append(messaging.messages(), id);
        return {};
    }
    const Picoseconds posted = messaging.requests()[request].posted;
    const Picoseconds met = std::max(time, posted);
    if (CriticalPath* const path = rank.path(); path != nullptr) [[unlikely]]
        path->match(id, request, time, posted);
    if (!match(rank, request, id, met)) return {};
    return {request, met};
}

}  // namespace tradewind::simcomm

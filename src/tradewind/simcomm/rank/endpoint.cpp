/// Starts of messages, and matching of messages and receives.
#include "tradewind/simcomm/rank/endpoint.hpp"

#include <algorithm>
#include <cstring>

#include "tradewind/base/errors.hpp"
#include "tradewind/simcomm/messages/rendezvous.hpp"

namespace tradewind::simcomm {

namespace {

[[nodiscard]] std::uint32_t open_request(const RankContext& rank, RequestRecord::Kind kind,
                                         Rank peer, Envelope envelope, Picoseconds now) {
    RequestPool& requests = rank.messaging().requests();
    const std::uint32_t index = requests.take(rank.worker->index());
    RequestRecord& record = requests[index];
    record.posted = now;
    record.owner = rank.rank;
    record.peer = std::uint32_t(peer);
    record.envelope = envelope;
    record.kind = kind;
    return index;
}

/// Throws what a message and its receive do not allow.
void check_match(std::uint32_t rank, const RequestRecord& receive, const sim::Message& message) {
    if (message.size > receive.size) {
        throw Error(text("rank ", rank, ": a message of ", message.size, " bytes from rank ",
                         message.source_rank, " (tag ", message.tag, ") does not fit a receive of ",
                         receive.size, " bytes"));
    }
    if (kind_of(message) == MessageKind::ready && receive.posted > message.arrival) {
        throw Error(text("ready send from rank ", message.source_rank, " to rank ", rank, " (tag ",
                         message.tag, "): its receive was not posted when it arrived"));
    }
}

}  // namespace

sim::MessageId Endpoint::new_message(const RankContext& rank, Picoseconds& clock, Rank to,
                                     ConstBuffer data, Envelope envelope) {
    Messaging& messaging = rank.messaging();
    const RankParameters& costs = messaging.costs();
    const Bytes more = std::max<Bytes>(data.size() - 1, 0);
    clock += costs.send_overhead + Picoseconds(costs.overhead_per_byte_ps * double(more));
    const std::uint32_t to_nic = messaging.nic_of(to);
    const sim::MessageId id = messaging.take(*rank.worker, to_nic, data.size());
    sim::Message& message = messaging.messages()[id];
    message.source_rank = rank.rank;
    message.destination_rank = std::uint32_t(to);
    message.source_nic = rank.nic;
    message.destination_nic = to_nic;
    message.context = envelope.context;
    message.tag = envelope.tag;
    message.sequence = sequence_++;
    message.size = data.size();
    if (!data.is_null() && data.size() > 0) {
        message.payload = std::make_unique_for_overwrite<std::byte[]>(std::size_t(data.size()));
        std::memcpy(message.payload.get(), data.data(), std::size_t(data.size()));
    }
    return id;
}

Request Endpoint::send(const RankContext& rank, Picoseconds& clock, Rank to, ConstBuffer data,
                       Envelope envelope, SendMode mode) {
    Messaging& messaging = rank.messaging();
    const sim::MessageId id = new_message(rank, clock, to, data, envelope);
    sim::Message& message = messaging.messages()[id];
    const RankParameters& costs = messaging.costs();
    const bool ready = mode == SendMode::ready;
    const bool synchronous = mode == SendMode::synchronous;
    if (ready) clock += costs.ready_overhead;
    if (synchronous) clock += costs.synchronous_overhead;
    if (!synchronous && messaging.is_eager(message)) {
        clock += Picoseconds(costs.send_copy_ps * double(data.size()));
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

Request Endpoint::put(const RankContext& rank, Picoseconds& clock, const PutPlace& place,
                      ConstBuffer data) {
    if (place.signal < 0 || place.signal > 0xffff) {
        throw ConfigError(
            text("rank ", rank.rank, ": signal ", place.signal, " of a put is not in 0..65535"));
    }
    Messaging& messaging = rank.messaging();
    const Envelope envelope{std::uint32_t(place.window.id), 0};
    const sim::MessageId id = new_message(rank, clock, place.to, data, envelope);
    sim::Message& message = messaging.messages()[id];
    message.offset = place.offset;
    message.signal = std::uint16_t(place.signal);
    clock += messaging.costs().put_overhead;
    if (data.size() > messaging.costs().eager_limit) {
        message.send_request = open_request(rank, RequestRecord::Kind::put, place.to, {}, clock);
    }
    const Request request{message.send_request};
    messaging.launch(*rank.worker, id, MessageKind::put, clock);
    return request;
}

Request Endpoint::receive(const RankContext& rank, Picoseconds clock, Rank from, Buffer data,
                          Envelope envelope) {
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
    const Picoseconds time = std::max(clock, messaging.messages()[id].arrival);
    if (match(rank, request, id, time)) record.time = time;
    return Request{request};
}

Completion Endpoint::message_arrived(const RankContext& rank, sim::MessageId id, Picoseconds time) {
    Messaging& messaging = rank.messaging();
    sim::Message& message = messaging.messages()[id];
    message.arrival = time;
    const std::uint32_t request = posted_.take(messaging.requests(), match_key(message));
    if (request == none) {
        unexpected_.append(messaging.messages(), id);
        return {};
    }
    const Picoseconds met = std::max(time, messaging.requests()[request].posted);
    if (!match(rank, request, id, met)) return {};
    return {request, met};
}

/// Lets a message and its receive meet at `time`. Returns true if the receive is complete then.
bool Endpoint::match(const RankContext& rank, std::uint32_t request, sim::MessageId id,
                     Picoseconds time) const {
    Messaging& messaging = rank.messaging();
    const sim::Message& message = messaging.messages()[id];
    RequestRecord& record = messaging.requests()[request];
    check_match(rank.rank, record, message);
    if (kind_of(message) == MessageKind::request_to_send) {
        Rendezvous(messaging, *rank.worker).answer(id, request, time);
        return false;
    }
    copy_payload(message, record.data);
    record.size = message.size;
    record.path = message.send_request == none ? ReceivePath::buffered : ReceivePath::direct;
    messaging.give(*rank.worker, id);
    return true;
}

}  // namespace tradewind::simcomm

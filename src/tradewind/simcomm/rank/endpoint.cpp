/// Puts, accesses to memory, and the faults of matches.
#include "tradewind/simcomm/rank/endpoint.hpp"

#include "tradewind/base/errors.hpp"

namespace tradewind::simcomm {

/// Throws the error of a message and a receive that do not fit.
void Endpoint::refuse(std::uint32_t rank, const RequestRecord& receive,
                      const sim::Message& message) {
    if (message.size > receive.size) {
        throw MessageError(text("rank ", rank, ": a message of ", message.size, " bytes from rank ",
                                message.source_rank, " (tag ", message.tag,
                                ") does not fit a receive of ", receive.size, " bytes"));
    }
    throw MessageError(text("ready send from rank ", message.source_rank, " to rank ", rank,
                            " (tag ", message.tag,
                            "): its receive was not posted when it arrived"));
}

Request Endpoint::put(const RankContext& rank, Picoseconds& clock, const PutPlace& place,
                      ConstBuffer data) {
    if (place.signal < 0 || place.signal > 0xffff) {
        throw ConfigError(
            text("rank ", rank.rank, ": signal ", place.signal, " of a put is not in 0..65535"));
    }
    call(rank, clock);
    Messaging& messaging = rank.messaging();
    const Envelope envelope{std::uint32_t(place.window.id), 0};
    const sim::MessageId id = new_message(rank, clock, place.to, data, envelope);
    sim::Message& message = messaging.messages()[id];
    message.offset = place.offset;
    message.signal = std::uint16_t(place.signal);
    clock += messaging.costs().put_overhead;
    const bool is_copied = is_copied_by_origin(messaging, message);
    if (is_copied) clock += Picoseconds(messaging.costs().put_copy_ps * double(data.size()));
    rank.keep_busy(PathKind::overhead, clock);
    if (!is_copied && data.size() > messaging.costs().eager_limit) {
        message.send_request = open_request(rank, RequestRecord::Kind::put, place.to, {}, clock);
    }
    const Request request{message.send_request};
    messaging.launch(*rank.worker, id, MessageKind::put, clock);
    return request;
}

RequestPair Endpoint::access(const RankContext& rank, Picoseconds& clock, AccessKind kind, Rank to,
                             Bytes bytes, bool returns_buffer) {
    call(rank, clock);
    Messaging& messaging = rank.messaging();
    const RankParameters& costs = messaging.costs();
    const bool reads = kind == AccessKind::get;
    clock += costs.send_overhead + costs.put_overhead;
    if (!reads)
        clock += Picoseconds(costs.overhead_per_byte_ps * double(std::max<Bytes>(bytes - 1, 0)));
    const sim::MessageId id = messaging.take(*rank.worker, messaging.nic_of(to), bytes);
    address(rank, id, to, {});
    sim::Message& message = messaging.messages()[id];
    message.size = bytes;
    const bool is_copied = !reads && is_copied_by_origin(messaging, message);
    if (is_copied) clock += Picoseconds(costs.put_copy_ps * double(bytes));
    rank.keep_busy(PathKind::overhead, clock);
    message.receive_request = open_request(rank, RequestRecord::Kind::access, to, {}, clock);
    if (returns_buffer && !reads && !is_copied && bytes > costs.eager_limit)
        message.send_request = open_request(rank, RequestRecord::Kind::put, to, {}, clock);
    const RequestPair requests{{message.receive_request}, {message.send_request}};
    MessageKind first = MessageKind::access;
    if (reads) first = MessageKind::read_request;
    if (kind == AccessKind::accumulate) first = MessageKind::accumulate;
    messaging.launch(*rank.worker, id, first, clock);
    return requests;
}

Request Endpoint::tell(const RankContext& rank, Picoseconds& clock, MessageKind kind, Rank to,
                       std::uint32_t window, bool is_exclusive) {
    call(rank, clock);
    Messaging& messaging = rank.messaging();
    clock += messaging.costs().send_overhead;
    rank.keep_busy(PathKind::overhead, clock);
    const sim::MessageId id = messaging.take(*rank.worker, messaging.nic_of(to), 0, false);
    address(rank, id, to, {window, is_exclusive ? 1 : 0});
    sim::Message& message = messaging.messages()[id];
    if (kind == MessageKind::lock_request)
        message.receive_request = open_request(rank, RequestRecord::Kind::lock, to, {}, clock);
    const Request request{message.receive_request};
    messaging.launch(*rank.worker, id, kind, clock);
    return request;
}

}  // namespace tradewind::simcomm

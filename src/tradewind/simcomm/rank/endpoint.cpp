/// Puts, and the faults of matches.
#include "tradewind/simcomm/rank/endpoint.hpp"

#include "tradewind/base/errors.hpp"

namespace tradewind::simcomm {

/// Throws the error of a message and a receive that do not fit.
void Endpoint::refuse(std::uint32_t rank, const RequestRecord& receive,
                      const sim::Message& message) {
    if (message.size > receive.size) {
        throw Error(text("rank ", rank, ": a message of ", message.size, " bytes from rank ",
                         message.source_rank, " (tag ", message.tag, ") does not fit a receive of ",
                         receive.size, " bytes"));
    }
    throw Error(text("ready send from rank ", message.source_rank, " to rank ", rank, " (tag ",
                     message.tag, "): its receive was not posted when it arrived"));
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

}  // namespace tradewind::simcomm

/// The steps of a rendezvous, and the costs of its receiver.
#include "tradewind/simcomm/messages/rendezvous.hpp"

#include <utility>

namespace tradewind::simcomm {

void Rendezvous::answer(sim::MessageId id, std::uint32_t receive, Picoseconds time) const {
    sim::Message& message = messaging_.messages()[id];
    RequestRecord& record = messaging_.requests()[receive];
    record.size = message.size;
    if (messaging_.is_eager(message)) {
        record.path = ReceivePath::direct;
    } else {
        record.path = messaging_.same_node(message) ? ReceivePath::copied : ReceivePath::rendezvous;
    }
    message.receive_request = receive;
    expect_parts(record, messaging_.parts_of(message));
    send_back(messaging_, worker_, id, MessageKind::clear_to_send, time);
}

void Rendezvous::send_data(sim::MessageId id, Picoseconds time) const {
    sim::Message& message = messaging_.messages()[id];
    std::swap(message.source_nic, message.destination_nic);
    expect_parts(messaging_.requests()[message.send_request], messaging_.parts_of(message));
    messaging_.launch_data(worker_, id, time);
}

std::uint32_t Rendezvous::take_data(sim::MessageId id) const {
    const sim::Message& message = messaging_.messages()[id];
    const std::uint32_t receive = message.receive_request;
    copy_payload(message, messaging_.requests()[receive].data);
    messaging_.give(worker_, id);
    return receive;
}

}  // namespace tradewind::simcomm

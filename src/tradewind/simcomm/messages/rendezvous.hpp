/// Rendezvous: the protocol of long and synchronous messages, which are announced, and sent when
/// their receive is there.
#pragma once

#include "tradewind/simcomm/messages/messaging.hpp"

namespace tradewind::simcomm {

/// The three steps of a rendezvous. One message record goes through all of them.
///
///     source                                         destination
///     announce:   request to send   -- control -->   waits for its receive, or meets it
///                                   <-- control --   answer: clear to send, ahead of all else
///     send_data:  the data          -- bytes ---->   take_data: into the buffer of the receive
///     the send is complete when                      the receive is complete when the last
///     the last byte has left                         byte has come
///
/// The cost is two control messages, of `control_size` bytes each, and one round trip beyond the
/// data.
class Rendezvous {
public:
    Rendezvous(Messaging& messaging, sim::Worker& worker) noexcept
        : messaging_(messaging), worker_(worker) {}

    /// Announces a message, whose send request is open.
    void announce(sim::MessageId id, Picoseconds time) const {
        messaging_.launch(worker_, id, MessageKind::request_to_send, time);
    }
    /// Answers an announcement that has met its receive, and records in the receive how the data
    /// will come in.
    void answer(sim::MessageId id, std::uint32_t receive, Picoseconds time) const;
    /// Sends the data when the answer has come back.
    void send_data(sim::MessageId id, Picoseconds time) const;
    /// Puts the data into the buffer of their receive. Returns the request of the receive.
    [[nodiscard]] std::uint32_t take_data(sim::MessageId id) const;

private:
    Messaging& messaging_;
    sim::Worker& worker_;
};

/// Returns the processor time of taking a completed receive.
[[nodiscard]] inline Picoseconds receive_overhead(const Messaging& messaging,
                                                  const RequestRecord& receive) noexcept {
    const RankParameters& costs = messaging.costs();
    const double bytes = double(receive.size);
    switch (receive.path) {
        case ReceivePath::buffered:
            return costs.receive_overhead + Picoseconds(costs.receive_copy_ps * bytes);
        case ReceivePath::direct:
            return costs.receive_overhead;
        case ReceivePath::rendezvous:
            return costs.receive_overhead + costs.rendezvous_overhead;
        case ReceivePath::copied:
            break;
    }
    const double per_byte = messaging.parameters().message_memory.ps_per_byte();
    return costs.receive_overhead + costs.rendezvous_overhead + Picoseconds(bytes * per_byte);
}

}  // namespace tradewind::simcomm

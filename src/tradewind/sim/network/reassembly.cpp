/// Arrival of the last packet of a message.
#include "tradewind/sim/network/reassembly.hpp"

namespace tradewind::sim {

/// Takes the last packet of a message, or any one where packets overtake each other.
void Reassembly::deliver_message(Worker& worker, const Packet& packet, Picoseconds time) {
    Message& message = fabric_.messages[packet.message()];
    message.arrival = std::max(message.arrival, time);
    if (!routes_are_fixed_) {
        message.undelivered -= packet.bytes();
        if (message.undelivered > 0) return;
    }
    if ((message.flags & control_message) == 0) {
        const SwitchId source = fabric_.switch_of(message.source_nic);
        const SwitchId here = SwitchId(packet.location());
        const NodeId node = fabric_.node_of(message.destination_nic);
        observers_[worker].observer.delivered(
            message, contention_free_.time(message, source, here, node),
            contention_free_.least_time(message, source, here, node));
    }
    fabric_.client->delivered(worker, packet.message(), message.arrival);
}

}  // namespace tradewind::sim

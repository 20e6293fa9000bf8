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

/// Records a packet that came out of the network at `ejected` and is in memory at `time`.
void Reassembly::note_arrival(const Packet& packet, Picoseconds ejected, Picoseconds time) {
    const Message& message = fabric_.messages[packet.message()];
    const bool is_last = time >= message.arrival;
    fabric_.journeys->ejected(packet, time - ejected, is_last);
    if (!is_last) return;
    fabric_.journeys->of(packet.message()).alone = contention_free_.time(
        message, fabric_.switch_of(message.source_nic), SwitchId(packet.location()),
        fabric_.node_of(message.destination_nic));
}

}  // namespace tradewind::sim

/// Parameters: speeds, delays and buffers of links, switches, network interfaces and nodes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tradewind/base/units.hpp"

namespace tradewind::sim {

/// Bandwidth and latency of a kind of link.
struct LinkSpeed {
    TransferRate rate;
    Picoseconds latency = 0;
};

/// The rule by which a port chooses among waiting packets: the first to come in, that of the next
/// input port in turn, or the first to be injected; packets in transit before those of the switch's
/// own nodes; or `transit_weight` turns in transit for each turn of the own nodes.
enum class Arbitration : std::uint8_t {
    first_come,
    round_robin,
    oldest_first,
    transit_first,
    weighted
};

/// The share that a packet takes of a link that is faster than its bytes come in: the time of its
/// bytes at the rate of the link, so that other packets pass between them, or the whole link until
/// its tail.
enum class PortSharing : std::uint8_t { interleaved, exclusive };

/// The time at which a packet gives back the room that it had in a buffer: with its tail, as a
/// whole; or from its head on, byte by byte, as switches do whose credits are smaller than packets.
enum class CreditReturn : std::uint8_t { tail, head };

/// The abstract machine models of a node (zheng2018 section 2.2): AMM1 gives every rank and
/// interface its own memory bandwidth. AMM2 lets those of one node share it. AMM3 also limits the
/// bytes that pass through a switch at once.
enum class NodeModel : std::uint8_t { amm1, amm2, amm3 };

struct NetworkParameters {
    /// One entry for each link class of the topology.
    std::vector<LinkSpeed> links;
    LinkSpeed injection;
    LinkSpeed ejection;

    Picoseconds switch_latency = 0;
    /// Bytes per input port and virtual channel; 0 = unbounded.
    Bytes switch_buffer = 0;
    Arbitration arbitration = Arbitration::first_come;
    /// The turns of packets in transit for each turn of the own nodes, for Arbitration::weighted.
    std::int32_t transit_weight = 1;
    PortSharing port_sharing = PortSharing::interleaved;
    CreditReturn credit_return = CreditReturn::tail;
    /// The total rate of a switch, for AMM3; 0 bytes/s = unlimited.
    TransferRate crossbar;

    std::int32_t nics_per_node = 1;
    /// Bytes of a switch's buffer behind each injection port; 0 = unbounded.
    Bytes nic_buffer = 0;
    /// Messages that an interface sends in turn, packet by packet.
    std::int32_t messages_in_turn = 1;
    /// LogGOPS g: least time between the starts of two messages of one interface.
    Picoseconds message_gap = 0;

    NodeModel node_model = NodeModel::amm1;
    /// The rate of the memory of each NUMA domain of a node.
    TransferRate memory;
    std::int32_t numa_domains = 1;
    Picoseconds memory_latency = 0;
    /// The further latency of a message between domains.
    Picoseconds numa_latency = 0;
    /// The speed of messages within a node that are copied once (0 = that of the memory), and the
    /// time of a control message.
    TransferRate message_memory;
    Picoseconds control_latency = 0;

    /// The largest packet. With `trains_per_message` > 0 the packets of a long message travel as
    /// about that many trains, none longer than `largest_train`. A train is one event where its
    /// packets would be many.
    Bytes packet_size = 4096;
    std::int32_t trains_per_message = 0;
    Bytes largest_train = 131072;
    /// The longest train into a port that asks for short ones, since single packets share it with
    /// trains; 0 = ports never ask.
    Bytes short_train = 0;
    /// The longest first train of a message; the next ones are at most as long as all before them.
    /// 0 = as long as the others.
    Bytes first_train = 0;
    /// True if an interface gets back the room of a train with its last byte, and not with its
    /// first packet, as far as it can then send without a gap.
    bool holds_train_room = false;
    /// Bytes on the wire of a message without data.
    Bytes control_size = 64;

    /// LogGOPS L (0 = from the distance) and G, for the analytic model only.
    Picoseconds flight_latency = 0;
    TransferRate flight_rate;
    std::uint64_t seed = 1;
};

/// Returns the largest packet, or train of packets, of a message of `bytes`.
[[nodiscard]] inline Bytes packet_size_of(const NetworkParameters& parameters, Bytes bytes) {
    const Bytes packet = parameters.packet_size;
    if (parameters.trains_per_message == 0) return packet;
    const Bytes train = bytes / parameters.trains_per_message;
    return std::max(packet,
                    std::min((train + packet - 1) / packet * packet, parameters.largest_train));
}

/// Returns true for a train of packets.
[[nodiscard]] inline bool is_train(const NetworkParameters& parameters, Bytes bytes) noexcept {
    return bytes > parameters.packet_size;
}

/// Returns the rate at which packets pass a link if each of them takes credit in a buffer of
/// `buffer` bytes (0 = unbounded) and nothing holds them up behind it: at most a buffer each round
/// trip.
[[nodiscard]] inline TransferRate sustained_rate(const NetworkParameters& parameters,
                                                 const LinkSpeed& link, Bytes buffer) {
    if (parameters.switch_buffer == 0 || buffer == 0) return link.rate;
    const Picoseconds round_trip =
        2 * link.latency + parameters.switch_latency + link.rate.time(parameters.packet_size);
    const TransferRate by_credit(1e12 * double(buffer) / double(round_trip));
    return by_credit.ps_per_byte() > link.rate.ps_per_byte() ? by_credit : link.rate;
}

}  // namespace tradewind::sim

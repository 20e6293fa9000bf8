/// Fabric: the common ground of injection, switching and delivery.
#pragma once

#include "tradewind/sim/network/network.hpp"
#include "tradewind/sim/network/node_memory.hpp"
#include "tradewind/sim/network/switch_layout.hpp"

namespace tradewind::sim {

/// The machine, the messages that are under way, and the client that hears of them.
struct Fabric {
    explicit Fabric(NetworkSetup setup);
    Fabric(const Fabric&) = delete;
    Fabric& operator=(const Fabric&) = delete;

    [[nodiscard]] SwitchId switch_of(std::uint32_t nic) const noexcept {
        return SwitchId(layout.location_of(nic));
    }
    [[nodiscard]] NodeId node_of(std::uint32_t nic) const noexcept {
        return NodeId(nic) / parameters.nics_per_node;
    }
    /// Returns true if another process simulates the switch.
    [[nodiscard]] bool is_elsewhere(Location location) const noexcept {
        return schedule.group != nullptr && (location < begin || location >= end);
    }
    /// Returns the number of network interfaces at the switches of this process.
    [[nodiscard]] std::size_t own_nics() const noexcept;

    const Topology& topology;
    const Routing& routing;
    NetworkParameters parameters;
    ObserveParameters observe;
    Schedule schedule;
    /// The switches of this process: [begin, end).
    Location begin;
    Location end;
    SwitchLayout layout;
    /// True if packets keep their order and their routes do not depend on the load.
    bool routes_are_fixed;
    /// True if the next hop of a packet in transit does not depend on the load.
    bool hops_are_fixed;
    NodeMemory memory;
    MessagePool messages;
    Client* client = nullptr;
    /// Null where nobody asks for the journeys of messages.
    JourneyLog* journeys;
};

/// Returns the fill below which a buffer of `bytes` admits a packet. An empty one admits any
/// packet.
[[nodiscard]] Bytes buffer_limit(Bytes bytes, Bytes packet_size);

}  // namespace tradewind::sim

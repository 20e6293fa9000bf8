/// Routing: the choice of the output port that a packet takes next, and of the virtual channel.
#pragma once

#include <cstdint>

#include "tradewind/base/units.hpp"
#include "tradewind/sim/topology/topology.hpp"

namespace tradewind::sim {

/// The part of a packet that routing reads and writes.
struct Flight {
    /// The switch of the destination node.
    SwitchId target = 0;
    /// The rule's own notes: an intermediate switch, the destination node, random bits.
    std::uint32_t note = 0;
    /// The virtual channel on which the packet arrived here (0 at the source).
    std::uint8_t channel = 0;
};

struct Hop {
    PortId port = 0;
    std::uint8_t channel = 0;
};

/// The bytes that wait for the output ports of one switch: all that an adaptive rule can see.
class Occupancy {
public:
    virtual ~Occupancy() = default;
    [[nodiscard]] virtual Bytes queued(PortId port) const = 0;
};

/// An empty network, for routes that are followed without simulating anything.
class NothingQueued final : public Occupancy {
public:
    [[nodiscard]] Bytes queued(PortId /*port*/) const override { return 0; }
};

/// A routing rule. It has no state: everything it remembers travels in the packet's Flight.
class Routing {
public:
    virtual ~Routing() = default;

    /// Makes the choices that belong to the source. It is called once, at the switch of the source
    /// node, before the first `next`, also when source and target are the same switch.
    /// `destination` is the destination node, `random` 64 fresh random bits. `flight.target` is
    /// set.
    virtual void launch(Flight& flight, SwitchId source, NodeId destination, std::uint64_t random,
                        const Occupancy& occupancy) const = 0;
    /// Returns the next hop of a packet at `here`, which came in through `in_port` (-1 from a
    /// node). It is not called where the packet has arrived, that is where `arrived` is true.
    [[nodiscard]] virtual Hop next(Flight& flight, SwitchId here, PortId in_port,
                                   const Occupancy& occupancy) const = 0;
    /// Returns true where the packet must be handed to its node. Rules with an intermediate stop
    /// may pass through the target before.
    [[nodiscard]] virtual bool arrived(const Flight& flight, SwitchId here) const {
        return here == flight.target;
    }

    /// Returns the number of virtual channels that keep the rule free of deadlock with finite
    /// buffers (at most 6).
    [[nodiscard]] virtual int channels() const = 0;
    /// Returns true if packets between two nodes can never overtake each other.
    [[nodiscard]] virtual bool keeps_order() const = 0;
    /// Returns true if routes meet others at every one of many links, as on a torus or below the
    /// links that a tapered tree lacks.
    [[nodiscard]] virtual bool meets_at_every_link() const { return false; }
    /// Returns true if `launch` or `next` look at the occupancy.
    [[nodiscard]] virtual bool is_adaptive() const { return false; }
    /// Returns true if `next` does not look at the occupancy.
    [[nodiscard]] virtual bool is_oblivious_in_transit() const { return !is_adaptive(); }
};

/// Follows a packet from `source` to the switch of node `destination` through an empty network.
/// Calls `visit(here, port, link)` at every switch that it leaves.
template <class Visit>
void follow_route(const Topology& topology, const Routing& routing, SwitchId source,
                  NodeId destination, std::uint64_t random, Visit visit) {
    const NothingQueued nothing;
    Flight flight{destination / topology.nodes_per_switch(), 0, 0};
    routing.launch(flight, source, destination, random, nothing);
    PortId in_port = -1;
    for (SwitchId here = source; !routing.arrived(flight, here);) {
        const Hop hop = routing.next(flight, here, in_port, nothing);
        const Link link = topology.neighbour(here, hop.port);
        visit(here, hop.port, link);
        flight.channel = hop.channel;
        here = link.to;
        in_port = link.port;
    }
}

}  // namespace tradewind::sim

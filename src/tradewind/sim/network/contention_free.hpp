/// ContentionFree: the time of a message that has the network to itself.
#pragma once

#include "tradewind/sim/network/message.hpp"
#include "tradewind/sim/network/parameters.hpp"
#include "tradewind/sim/routing/routing.hpp"
#include "tradewind/sim/topology/topology.hpp"

namespace tradewind::sim {

/// The times of cut-through: all latencies of the shortest route, plus the time of all packets on
/// its slowest link. Where packets choose their routes, several links share the packets of a
/// message, so that only the last one is sure to need the time of the slowest link, and the others
/// need that of the two ends.
class ContentionFree {
public:
    /// `routes_are_fixed` tells that all packets of a message take the route of `shortest`.
    ContentionFree(const Topology& topology, const Routing& shortest,
                   const NetworkParameters& parameters, bool routes_are_fixed);

    /// Returns the time from the first byte at the source to the last byte at the destination.
    /// `source` and `destination` are switches; `node` is the destination node.
    [[nodiscard]] Picoseconds time(const Message& message, SwitchId source, SwitchId destination,
                                   NodeId node) const;
    /// Returns a time that no message can be faster than, whatever the rounding of paces. Where
    /// routes are chosen freely that is the time of one hop: a detour between groups of a dragonfly
    /// may have fewer hops than the route that is minimal there.
    [[nodiscard]] Picoseconds least_time(const Message& message, SwitchId source,
                                         SwitchId destination, NodeId node) const;

private:
    /// The latency, the slowest link, and the slower one of that and the two memories.
    struct Path {
        Picoseconds latency;
        TransferRate slowest;
        TransferRate slowest_of_all;
    };
    /// The packets of a message: all but the last one have the full size.
    struct Pieces {
        Bytes full;
        Bytes size;
        Bytes last;
    };
    [[nodiscard]] static Pieces pieces_of(const Message& message) noexcept;
    [[nodiscard]] Picoseconds time_of_full(const Pieces& pieces, const Path& route) const;
    [[nodiscard]] Picoseconds memory_time(const Pieces& pieces, Picoseconds latency) const;
    [[nodiscard]] Path path(SwitchId source, SwitchId destination, NodeId node) const;
    [[nodiscard]] Path walk(SwitchId source, NodeId node) const;

    const Topology& topology_;
    const Routing& shortest_;
    const NetworkParameters& parameters_;
    bool uniform_;
    bool routes_are_fixed_;
    bool has_shared_memory_;
    Picoseconds shortest_hop_;
    /// The latency without any link between switches, and the slower rate of injection and
    /// ejection.
    Path ends_;
};

}  // namespace tradewind::sim

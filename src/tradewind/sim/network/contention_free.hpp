/// ContentionFree: the time of a message that has the network to itself.
#pragma once

#include "tradewind/sim/network/message.hpp"
#include "tradewind/sim/network/parameters.hpp"
#include "tradewind/sim/routing/routing.hpp"
#include "tradewind/sim/topology/topology.hpp"

namespace tradewind::sim {

/// The times of cut-through: all latencies of the shortest route, plus the time of all packets on
/// its slowest link.
class ContentionFree {
public:
    ContentionFree(const Topology& topology, const Routing& shortest,
                   const NetworkParameters& parameters);

    /// Returns the time from the first byte at the source to the last byte at the destination.
    /// `source` and `destination` are switches; `node` is the destination node.
    [[nodiscard]] Picoseconds time(const Message& message, SwitchId source, SwitchId destination,
                                   NodeId node) const;

private:
    struct Path {
        Picoseconds latency;
        TransferRate slowest;
    };
    [[nodiscard]] Path path(SwitchId source, SwitchId destination, NodeId node) const;
    [[nodiscard]] Path walk(SwitchId source, NodeId node) const;

    const Topology& topology_;
    const Routing& shortest_;
    const NetworkParameters& parameters_;
    bool uniform_;
    /// The latency without any link between switches, and the slower rate of injection and
    /// ejection.
    Path ends_;
    TransferRate slowest_;
};

}  // namespace tradewind::sim

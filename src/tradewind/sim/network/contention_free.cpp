/// Contention-free times: by distance where all links are alike, else along the shortest route.
#include "tradewind/sim/network/contention_free.hpp"

#include <algorithm>

namespace tradewind::sim {

namespace {

TransferRate slower(TransferRate a, TransferRate b) {
    return a.ps_per_byte() > b.ps_per_byte() ? a : b;
}

bool alike(const std::vector<LinkSpeed>& links) {
    return std::ranges::all_of(links, [&](const LinkSpeed& link) {
        return link.latency == links.front().latency &&
               link.rate.ps_per_byte() == links.front().rate.ps_per_byte();
    });
}

}  // namespace

ContentionFree::ContentionFree(const Topology& topology, const Routing& shortest,
                               const NetworkParameters& parameters, bool routes_are_fixed)
    : topology_(topology),
      shortest_(shortest),
      parameters_(parameters),
      uniform_(alike(parameters.links)),
      routes_are_fixed_(routes_are_fixed),
      has_shared_memory_(parameters.node_model != NodeModel::amm1),
      shortest_hop_(std::ranges::min(parameters.links, {}, &LinkSpeed::latency).latency +
                    parameters.switch_latency) {
    ends_.latency =
        parameters.injection.latency + parameters.ejection.latency + parameters.switch_latency;
    ends_.slowest = slower(parameters.injection.rate, parameters.ejection.rate);
    ends_.slowest_of_all =
        has_shared_memory_ ? slower(ends_.slowest, parameters.memory) : ends_.slowest;
}

/// The pace at which the memory of the source hands out a packet is lost behind the first link: the
/// memory of the destination takes the packet from its head on.
Picoseconds ContentionFree::time(const Message& message, SwitchId source, SwitchId destination,
                                 NodeId node) const {
    const Path route = path(source, destination, node);
    const Pieces pieces = pieces_of(message);
    const TransferRate of_last = source == destination ? route.slowest_of_all : route.slowest;
    return std::max(route.latency + time_of_full(pieces, route) + of_last.time(pieces.last),
                    memory_time(pieces, route.latency));
}

/// The paces at which packets follow their heads are rounded, and a packet whose head has been
/// waiting may gain by that. It is never faster than its ejection. But where it comes by another
/// route than a train of the same message, it may pass that train there.
Picoseconds ContentionFree::least_time(const Message& message, SwitchId source,
                                       SwitchId destination, NodeId node) const {
    const bool is_known = routes_are_fixed_ || source == destination;
    Path route = is_known ? path(source, destination, node) : ends_;
    if (!is_known) route.latency += shortest_hop_;
    const Pieces pieces = pieces_of(message);
    const bool passes_train = !is_known && pieces.size > parameters_.packet_size &&
                              pieces.last <= parameters_.packet_size && pieces.full > 0;
    return route.latency + time_of_full(pieces, route) +
           (passes_train ? 0 : parameters_.ejection.rate.time(pieces.last));
}

ContentionFree::Pieces ContentionFree::pieces_of(const Message& message) noexcept {
    const Bytes size = message.packet_size;
    if (message.bytes <= size) return {0, size, message.bytes};
    const Bytes full = (message.bytes - 1) / size;
    return {full, size, message.bytes - full * size};
}

/// Returns the time that all packets but the last one take, one after the other.
Picoseconds ContentionFree::time_of_full(const Pieces& pieces, const Path& route) const {
    const Path& shared = routes_are_fixed_ ? route : ends_;
    return pieces.full * shared.slowest_of_all.time(pieces.size);
}

/// Returns the time until the memory of the destination has all packets. It takes the last one from
/// the time on at which the head comes to the last switch.
Picoseconds ContentionFree::memory_time(const Pieces& pieces, Picoseconds latency) const {
    if (!has_shared_memory_) return 0;
    const TransferRate& memory = parameters_.memory;
    return latency - parameters_.switch_latency - parameters_.ejection.latency +
           pieces.full * memory.time(pieces.size) + memory.time(pieces.last);
}

ContentionFree::Path ContentionFree::path(SwitchId source, SwitchId destination,
                                          NodeId node) const {
    if (source == destination) return ends_;
    if (!uniform_) return walk(source, node);
    const Picoseconds hop = parameters_.links.front().latency + parameters_.switch_latency;
    const TransferRate& link = parameters_.links.front().rate;
    return {ends_.latency + topology_.distance(source, destination) * hop,
            slower(ends_.slowest, link), slower(ends_.slowest_of_all, link)};
}

ContentionFree::Path ContentionFree::walk(SwitchId source, NodeId node) const {
    Path result = ends_;
    follow_route(topology_, shortest_, source, node, 0, [&](SwitchId, PortId, const Link& link) {
        const LinkSpeed& speed = parameters_.links[std::size_t(link.link_class)];
        result.latency += speed.latency + parameters_.switch_latency;
        result.slowest = slower(result.slowest, speed.rate);
        result.slowest_of_all = slower(result.slowest_of_all, speed.rate);
    });
    return result;
}

}  // namespace tradewind::sim

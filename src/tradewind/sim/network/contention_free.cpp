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
                               const NetworkParameters& parameters)
    : topology_(topology),
      shortest_(shortest),
      parameters_(parameters),
      uniform_(alike(parameters.links)) {
    ends_.latency =
        parameters.injection.latency + parameters.ejection.latency + parameters.switch_latency;
    ends_.slowest = slower(parameters.injection.rate, parameters.ejection.rate);
    if (parameters.node_model != NodeModel::amm1)
        ends_.slowest = slower(ends_.slowest, parameters.memory);
    slowest_ = slower(ends_.slowest, parameters.links.front().rate);
}

Picoseconds ContentionFree::time(const Message& message, SwitchId source, SwitchId destination,
                                 NodeId node) const {
    const Path route = path(source, destination, node);
    const Bytes packet = message.packet_size;
    if (message.bytes <= packet) return route.latency + route.slowest.time(message.bytes);
    return route.latency + message.bytes / packet * route.slowest.time(packet) +
           route.slowest.time(message.bytes % packet);
}

ContentionFree::Path ContentionFree::path(SwitchId source, SwitchId destination,
                                          NodeId node) const {
    if (source == destination) return ends_;
    if (!uniform_) return walk(source, node);
    const Picoseconds hop = parameters_.links.front().latency + parameters_.switch_latency;
    return {ends_.latency + topology_.distance(source, destination) * hop, slowest_};
}

ContentionFree::Path ContentionFree::walk(SwitchId source, NodeId node) const {
    Path result = ends_;
    follow_route(topology_, shortest_, source, node, 0, [&](SwitchId, PortId, const Link& link) {
        const LinkSpeed& speed = parameters_.links[std::size_t(link.link_class)];
        result.latency += speed.latency + parameters_.switch_latency;
        result.slowest = slower(result.slowest, speed.rate);
    });
    return result;
}

}  // namespace tradewind::sim

/// The placement rules.
#include "tradewind/simcomm/placement.hpp"

#include <algorithm>
#include <numeric>

#include "tradewind/base/errors.hpp"
#include "tradewind/base/random.hpp"
#include "tradewind/simcomm/tiles.hpp"

namespace tradewind::simcomm {

namespace {

using Nodes = std::vector<std::int64_t>;

Nodes block(const PlacementRequest& request, const sim::Topology& topology) {
    Nodes nodes(std::size_t(request.ranks));
    const std::int64_t used = (request.ranks + request.ranks_per_node - 1) / request.ranks_per_node;
    for (Rank r = 0; r < request.ranks; ++r) {
        nodes[std::size_t(r)] =
            (r / request.ranks_per_node) * std::int64_t{topology.nodes()} / used;
    }
    return nodes;
}

Nodes round_robin(const PlacementRequest& request, const sim::Topology& topology) {
    Nodes nodes(std::size_t(request.ranks));
    const std::int64_t switches = topology.terminal_switches();
    const std::int64_t per_switch = topology.nodes_per_switch();
    for (Rank r = 0; r < request.ranks; ++r) {
        nodes[std::size_t(r)] = r % switches * per_switch + r / switches % per_switch;
    }
    return nodes;
}

/// Fills nodes in the order of a Fisher-Yates shuffle, with the numbers of a counter-based
/// generator.
Nodes random(const PlacementRequest& request, const sim::Topology& topology) {
    Nodes order(std::size_t(topology.nodes()));
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t i = order.size(); i > 1; --i) {
        std::swap(order[i - 1], order[below(mix(request.seed, i), std::uint32_t(i))]);
    }
    Nodes nodes(std::size_t(request.ranks));
    for (Rank r = 0; r < request.ranks; ++r)
        nodes[std::size_t(r)] = order[std::size_t(r / request.ranks_per_node)];
    return nodes;
}

Nodes from_list(const PlacementRequest& request, const sim::Topology& topology) {
    if (Rank(request.nodes.size()) < request.ranks) {
        throw ConfigError(text("placement: the file names ", request.nodes.size(), " nodes for ",
                               request.ranks, " ranks"));
    }
    for (const std::int64_t node : request.nodes) {
        if (node < 0 || node >= topology.nodes()) {
            throw ConfigError(
                text("placement: node ", node, " is not in 0..", topology.nodes() - 1));
        }
    }
    return {request.nodes.begin(), request.nodes.begin() + request.ranks};
}

Nodes tiles(const PlacementRequest& request, const sim::Topology& topology) {
    const ProcessGrid& grid = request.processes;
    if (grid.cx < 1 || grid.cy < 1 || request.ranks % grid.cx != 0 ||
        request.ranks / grid.cx != grid.cy) {
        throw ConfigError(text("placement: processes = [", grid.cx, ", ", grid.cy, "] are not ",
                               request.ranks, " ranks"));
    }
    return place_tiles(grid, request.ranks_per_node, topology);
}

struct Rule {
    const char* name;
    Nodes (*place)(const PlacementRequest&, const sim::Topology&);
};
constexpr Rule rules[] = {{"block", block},
                          {"tiles", tiles},
                          {"random", random},
                          {"round_robin", round_robin},
                          {"file", from_list}};

}  // namespace

void check_room(std::int64_t ranks, std::int32_t ranks_per_node, const sim::Topology& topology) {
    const std::int64_t room = std::int64_t{topology.nodes()} * ranks_per_node;
    if (ranks >= 1 && ranks <= room) return;
    throw ConfigError(text("ranks = ", ranks, ": the machine has room for 1..", room, " (",
                           topology.nodes(), " nodes x ", ranks_per_node, " ranks per node)"));
}

Placement::Placement(const PlacementRequest& request, const sim::Topology& topology)
    : ranks_(request.ranks),
      ranks_per_node_(request.ranks_per_node),
      nics_per_node_(request.nics_per_node),
      affinity_(request.affinity),
      numa_domains_(request.numa_domains) {
    check_room(ranks_, ranks_per_node_, topology);
    if (request.rule == "linear") return;
    const auto* const rule = std::ranges::find(rules, request.rule, &Rule::name);
    if (rule == std::end(rules)) {
        throw ConfigError(
            text("placement rule \"", request.rule,
                 "\" is unknown; known: linear, block, tiles, random, round_robin, file"));
    }
    const Nodes nodes = rule->place(request, topology);
    std::vector<std::int32_t> used(std::size_t(topology.nodes()), 0);
    nics_.resize(nodes.size());
    if (numa_domains_ > 1) domains_.resize(nodes.size());
    for (std::size_t r = 0; r < nodes.size(); ++r) {
        auto& taken = used[std::size_t(nodes[r])];
        if (taken >= ranks_per_node_) {
            throw ConfigError(
                text("placement: node ", nodes[r], " gets more than ", ranks_per_node_, " ranks"));
        }
        nics_[r] = std::uint32_t(nodes[r] * nics_per_node_ + interface(taken));
        if (numa_domains_ > 1) domains_[r] = std::uint8_t(block_of(taken, numa_domains_));
        ++taken;
    }
}

}  // namespace tradewind::simcomm

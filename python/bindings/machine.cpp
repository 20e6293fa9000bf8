/// The facts of a machine as dictionaries.
#include "machine.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <map>

#include "interrupts.hpp"
#include "settings.hpp"
#include "tradewind/base/errors.hpp"
#include "tradewind/sim/routing/catalogue.hpp"
#include "tradewind/sim/topology/survey.hpp"
#include "tradewind/simcomm/message_cost.hpp"
#include "tradewind/simcomm/read_machine.hpp"

namespace nb = nanobind;

namespace tradewind::bindings {

namespace {

/// The most ports of a machine whose links are told apart by their place.
constexpr std::int64_t most_ports = 1 << 21;
/// The most ports of all switches of a machine whose links are counted: a few seconds of work.
constexpr std::int64_t most_counted_ports = std::int64_t{1} << 28;
/// The most switches that a picture may show.
constexpr std::int64_t most_drawn_switches = 1 << 19;
/// The number of pairs of switches whose distances are counted.
constexpr std::int64_t most_pairs = 1 << 22;

/// The topology, routing rule and parameters of a machine.
struct Machine {
    explicit Machine(const nb::dict& spec)
        : sections(sections_from(spec)),
          topology(simcomm::make_topology(sections)),
          routing(simcomm::make_routing(sections, *topology)),
          parameters(simcomm::read_network(sections, *topology, *routing)) {
        const std::int64_t each =
            std::int64_t{topology->radix()} +
            std::int64_t{topology->nodes_per_switch()} * parameters.nics_per_node;
        const std::int64_t switches = topology->switches();
        if (each <= most_counted_ports / switches) return;
        throw TopologyError(text("the machine has ", switches, " switches with up to ", each,
                                 " ports; at most ", most_counted_ports,
                                 " ports in all can be shown"));
    }

    simcomm::Sections sections;
    std::unique_ptr<sim::Topology> topology;
    std::unique_ptr<sim::Routing> routing;
    sim::NetworkParameters parameters;
};

double rate_of(const sim::LinkSpeed& speed) {
    return 1e12 / speed.rate.ps_per_byte();
}

/// Returns the largest number of wired ports of a switch, its nodes included.
std::int64_t ports_of(const sim::Topology& topology, std::int32_t nics_per_node) {
    std::int64_t most = 0;
    sim::SwitchId tried = 0;
    // Switches with equal numbers of ports lie side by side in every topology: a sample will do.
    const sim::SwitchId step = std::max(1, topology.switches() / 4096);
    for (; tried < topology.switches(); tried += step) {
        std::int64_t own = tried < topology.terminal_switches()
                               ? std::int64_t{topology.nodes_per_switch()} * nics_per_node
                               : 0;
        for (sim::PortId port = 0; port < topology.radix(); ++port)
            own += topology.neighbour(tried, port).to != sim::no_switch ? 1 : 0;
        most = std::max(most, own);
    }
    return most;
}

nb::list link_list(const Machine& machine, const std::vector<sim::LinkCount>& counts) {
    const auto classes = machine.topology->link_classes();
    nb::list result;
    for (const sim::LinkCount& count : counts) {
        const sim::LinkSpeed& speed = machine.parameters.links[std::size_t(count.link_class)];
        nb::dict one;
        one["class"] = classes[std::size_t(count.link_class)];
        one["place"] = count.panel;
        one["links"] = count.links;
        one["bytes_per_s"] = rate_of(speed);
        one["latency_ps"] = speed.latency;
        result.append(one);
    }
    return result;
}

nb::dict bisection_of(const Machine& machine) {
    std::vector<double> rates;
    for (const sim::LinkSpeed& speed : machine.parameters.links) rates.push_back(rate_of(speed));
    const double node = rate_of(machine.parameters.injection) * machine.parameters.nics_per_node;
    const auto found = without_gil([&] { return sim::bisect(*machine.topology, rates, node); });
    nb::dict result;
    result["bytes_per_s"] = found.bytes_per_second;
    result["links"] = found.links;
    result["cut_off_nodes"] = found.nodes;
    return result;
}

}  // namespace

nb::dict survey_machine(const nb::dict& spec) {
    const Machine machine(spec);
    const sim::Topology& topology = *machine.topology;
    const auto distances = without_gil([&] { return sim::count_distances(topology, most_pairs); });
    const auto links = without_gil([&] { return sim::count_links(topology, most_ports); });
    nb::dict result;
    result["nodes"] = topology.nodes();
    result["switches"] = topology.switches();
    result["terminal_switches"] = topology.terminal_switches();
    result["nodes_per_switch"] = topology.nodes_per_switch();
    result["ports"] = ports_of(topology, machine.parameters.nics_per_node);
    result["is_two_way"] = topology.is_two_way();
    result["keeps_order"] = machine.routing->keeps_order() && !machine.routing->is_adaptive();
    result["links"] = link_list(machine, links);
    result["diameter"] = topology.diameter();
    result["distance_sources"] = distances.sources;
    result["distance_pairs"] = distances.pairs;
    result["nodes_by_distance"] = sim::nodes_by_distance(topology);
    result["bisection"] = bisection_of(machine);
    return result;
}

nb::dict message_cost(const nb::dict& spec, std::int64_t from, std::int64_t to,
                      std::int64_t bytes) {
    const Machine machine(spec);
    const auto node = [](std::int64_t number) {
        return sim::NodeId(std::clamp<std::int64_t>(number, -1, INT32_MAX));
    };
    const simcomm::MessageCost cost =
        simcomm::message_cost(machine.sections, {node(from), node(to), bytes});
    nb::list items;
    for (const simcomm::CostItem& item : cost.items) {
        nb::dict one;
        one["name"] = item.name;
        one["time_ps"] = item.time;
        one["detail"] = item.detail;
        items.append(one);
    }
    nb::dict result;
    result["bytes"] = bytes;
    result["time_ps"] = cost.time;
    result["is_eager"] = cost.is_eager;
    result["items"] = items;
    return result;
}

nb::list shortest_route(const nb::dict& spec, std::int64_t from, std::int64_t to) {
    const Machine machine(spec);
    const sim::Topology& topology = *machine.topology;
    for (const std::int64_t node : {from, to}) {
        if (node < 0 || node >= topology.nodes()) {
            throw ConfigError(text("node ", node, " is not in 0..", topology.nodes() - 1,
                                   ", the nodes of the machine"));
        }
    }
    const auto shortest = sim::make_routing("minimal", topology, {});
    const auto classes = topology.link_classes();
    const auto panels = topology.link_panels();
    nb::list result;
    sim::follow_route(
        topology, *shortest, sim::SwitchId(from / topology.nodes_per_switch()), sim::NodeId(to), 0,
        [&](sim::SwitchId here, sim::PortId port, const sim::Link& link) {
            const std::size_t panel = topology.link_place(here, port).panel;
            result.append(nb::make_tuple(here, link.to, classes[std::size_t(link.link_class)],
                                         panels[panel].name));
        });
    return result;
}

namespace {

using Pair = std::pair<sim::SwitchId, sim::SwitchId>;
/// Links and class of joined pairs of switches, the lower number first.
using JoinedPairs = std::map<Pair, std::pair<std::int64_t, std::int32_t>>;

/// Returns the joined pairs; none if there are more than `most`.
JoinedPairs joined_pairs(const sim::Topology& topology, std::int64_t most) {
    JoinedPairs pairs;
    for (sim::SwitchId here = 0; here < topology.switches(); ++here) {
        for (sim::PortId port = 0; port < topology.radix(); ++port) {
            const sim::Link link = topology.neighbour(here, port);
            if (link.to == sim::no_switch || (link.to < here && topology.is_two_way())) continue;
            auto& [links, link_class] = pairs[std::minmax(here, link.to)];
            ++links;
            link_class = link.link_class;
        }
        if (std::int64_t(pairs.size()) > most) return {};
    }
    return pairs;
}

}  // namespace

nb::dict wiring(const nb::dict& spec, std::int64_t most_links) {
    const Machine machine(spec);
    const auto& topology = machine.topology;
    if (topology->switches() > most_drawn_switches) {
        throw TopologyError(text("the machine has ", topology->switches(), " switches; at most ",
                                 most_drawn_switches, " can be drawn"));
    }
    nb::list coordinates;
    for (sim::SwitchId here = 0; here < topology->switches(); ++here)
        coordinates.append(topology->coordinates(here));
    nb::list levels;
    for (const sim::NumberingLevel& level : topology->numbering())
        levels.append(nb::make_tuple(level.parts, level.line));
    nb::list links;
    const auto classes = topology->link_classes();
    for (const auto& [pair, joined] : joined_pairs(*topology, most_links)) {
        links.append(nb::make_tuple(pair.first, pair.second, joined.first,
                                    classes[std::size_t(joined.second)]));
    }
    nb::dict result;
    result["coordinates"] = coordinates;
    result["numbering"] = levels;
    result["links"] = links;
    result["terminal_switches"] = topology->terminal_switches();
    result["nodes_per_switch"] = topology->nodes_per_switch();
    return result;
}

nb::list place_ranks(const nb::dict& spec, std::int64_t ranks) {
    const Machine machine(spec);
    const auto count = Rank(std::clamp<std::int64_t>(ranks, 0, INT32_MAX));
    const simcomm::Placement placement =
        simcomm::read_placement(machine.sections, count, *machine.topology);
    nb::list result;
    for (Rank rank = 0; rank < count; ++rank)
        result.append(placement.nic(rank) / std::uint32_t(machine.parameters.nics_per_node));
    return result;
}

void check_room(const nb::dict& spec, std::int64_t ranks) {
    simcomm::check_room(sections_from(spec), ranks);
}

}  // namespace tradewind::bindings

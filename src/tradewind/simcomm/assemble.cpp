/// Builds and runs a simulation from its sections.
#include "tradewind/simcomm/assemble.hpp"

#include <algorithm>

#include "tradewind/base/errors.hpp"
#include "tradewind/sim/network/switching/trains.hpp"
#include "tradewind/sim/routing/catalogue.hpp"
#include "tradewind/sim/topology/catalogue.hpp"
#include "tradewind/simcomm/critical_path/critical_path.hpp"
#include "tradewind/simcomm/joint.hpp"
#include "tradewind/simcomm/machine_settings.hpp"
#include "tradewind/simcomm/partition.hpp"
#include "tradewind/simcomm/read_machine.hpp"

namespace tradewind::simcomm {

std::unique_ptr<sim::Topology> make_topology(const Sections& sections) {
    const Settings& settings = section(sections, "topology");
    return sim::make_topology(settings.need<std::string>("name"), settings.without({"name"}));
}

std::unique_ptr<sim::Routing> make_routing(const Sections& sections,
                                           const sim::Topology& topology) {
    const Settings& settings = section(sections, "routing");
    return sim::make_routing(settings.get<std::string>("name", "minimal"), topology,
                             settings.without({"name"}));
}

namespace {

/// Returns the bandwidth of memory that each of `ranks` ranks of a node computes with. They are
/// bound to its NUMA domains in equal blocks, up to one rank.
TransferRate memory_share(const sim::NetworkParameters& parameters, std::int64_t ranks) {
    const std::int64_t in_domain = (ranks + parameters.numa_domains - 1) / parameters.numa_domains;
    const double sharers = parameters.node_model == sim::NodeModel::amm1 ? 1.0 : double(in_domain);
    return TransferRate(1e12 / (parameters.memory.ps_per_byte() * sharers));
}

/// All objects to which a run refers.
struct Parts {
    Parts(const Sections& sections, Rank ranks)
        : topology(make_topology(sections)),
          routing(make_routing(sections, *topology)),
          shortest(sim::make_routing("minimal", *topology, {})),
          placement(read_placement(sections, ranks, *topology)),
          placement_settings(section(sections, "placement")),
          ranks_per_node(given::node::ranks_per_node.of(section(sections, "node"))) {
        setup.parameters = read_network(sections, *topology, *routing);
        setup.ranks = read_ranks(sections);
        setup.ranks.memory_share = memory_share(setup.parameters, std::min(ranks, ranks_per_node));
        setup.placement = &placement;
        const Affinity affinity = given::nic::affinity.of(section(sections, "nic"));
        const std::int32_t interfaces = setup.parameters.nics_per_node;
        setup.has_rails = interfaces > 1 && affinity == Affinity::message;
        if (affinity == Affinity::stripe) setup.stripes = std::uint32_t(interfaces);
        setup.nics_per_switch =
            std::uint32_t(topology->nodes_per_switch() * setup.parameters.nics_per_node);
    }

    std::unique_ptr<sim::Topology> topology;
    std::unique_ptr<sim::Routing> routing;
    std::unique_ptr<sim::Routing> shortest;
    Placement placement;
    Settings placement_settings;
    std::int64_t ranks_per_node;
    SimulationSetup setup;
};

Picoseconds window_width(const sim::NetworkParameters& parameters, Model model) {
    const Picoseconds width = sim::lookahead(parameters);
    if (model != Model::analytic || parameters.flight_latency == 0) return width;
    return std::min(width, parameters.flight_latency);
}

/// The number of ranks from which on the events of a window do not fit into a core's cache, and
/// come in parts.
constexpr Rank many_ranks = 200'000;

/// A network with its ranks, ready to run.
struct Machine {
    Machine(const Sections& sections, Rank ranks, sim::ProcessGroup* group)
        : parts(sections, ranks) {
        const Settings& options = section(sections, "simulation");
        const Model model = given::simulation::network.of(section(sections, "simulation"));
        auto& setup = parts.setup;
        setup.schedule.width = window_width(setup.parameters, model);
        setup.schedule.group = group;
        if (ranks >= many_ranks) setup.schedule.part_bits = 11;
        setup.schedule.threads = int(given::simulation::threads.of(options, 1));
        if (given::simulation::critical_path.of(options)) follow_path(ranks, group);
        setup.schedule.bounds =
            balanced_bounds(*parts.topology, *parts.routing, parts.placement,
                            setup.parameters.nics_per_node, setup.schedule.processes());
        const sim::ObserveParameters observe = read_observation(options, ranks);
        setup.timeline_records = observe.timeline_records;
        sim::NetworkSetup network_setup{parts.topology.get(),
                                        parts.routing.get(),
                                        parts.shortest.get(),
                                        setup.parameters,
                                        setup.schedule,
                                        observe,
                                        path ? &path->journeys() : nullptr};
        network = model == Model::analytic ? sim::make_analytic_network(std::move(network_setup))
                                           : sim::make_packet_network(std::move(network_setup));
        setup.network = network.get();
        simulation = std::make_unique<Simulation>(setup);
    }

    /// Prepares the record of the critical path, which one worker keeps.
    void follow_path(Rank ranks, const sim::ProcessGroup* group) {
        if (group != nullptr && group->processes() > 1)
            throw ConfigError("simulation.critical_path: processes cannot share such a run");
        parts.setup.schedule.threads = 1;
        path = std::make_unique<CriticalPath>(std::size_t(ranks));
        parts.setup.path = path.get();
    }

    Parts parts;
    std::unique_ptr<CriticalPath> path;
    std::unique_ptr<sim::Network> network;
    std::unique_ptr<Simulation> simulation;
};

/// Names the links of the ports at which steps wait. Ports behind those of the topology lead to
/// nodes; their class is the one after those of the topology.
void name_links(std::vector<PathStep>& path, const sim::Topology& topology) {
    for (PathStep& step : path) {
        if (step.port == PathStep::no_port) continue;
        step.link_class = std::int32_t(topology.link_classes().size());
        if (step.port >= topology.radix()) continue;
        const sim::Link link =
            topology.neighbour(sim::SwitchId(step.location), sim::PortId(step.port));
        step.to = std::int32_t(link.to);
        step.link_class = std::int32_t(link.link_class);
    }
}

}  // namespace

Outcome simulate(const Sections& sections, const Program& program, Rank ranks,
                 const RunProgress& progress, sim::ProcessGroup* group) {
    std::unique_ptr<Machine> machine;
    run_collectively(group, [&] { machine = std::make_unique<Machine>(sections, ranks, group); });
    const sim::Topology& topology = *machine->parts.topology;
    Outcome outcome{machine->simulation->run(program, progress), topology.nodes(),
                    topology.switches(), topology.link_classes()};
    name_links(outcome.run.critical_path, topology);
    return outcome;
}

namespace {

/// The address space of the tables of messages and requests, which are as long as they can get, of
/// the stack of a thread, and of the heap that glibc gives to threads; measured.
constexpr double tables_address = 250e6;
constexpr double thread_address = 10e6;
constexpr double heaps_address = 140e6;

/// Returns the share of the ports that cost memory, which they do when they are first used. With
/// in-order routes and ranks on neighbouring nodes these are the ports on and around the routes
/// between the used switches; else all.
double touched_share(const Parts& parts, Rank ranks) {
    const Settings& placement = parts.placement_settings;
    const bool compact =
        parts.routing->keeps_order() && given::placement::rule.of(placement) == "linear";
    const double nodes = double(parts.topology->nodes()) * double(parts.ranks_per_node);
    return compact ? std::min(1.0, 3.0 * double(ranks) / nodes) : 1.0;
}

}  // namespace

Prediction predict(const Sections& sections, Rank ranks, const ExpectedTraffic& traffic) {
    const Parts parts(sections, ranks);
    const auto& topology = *parts.topology;
    const double stride = double(topology.radix()) + double(parts.setup.nics_per_switch);
    const Settings& options = section(sections, "simulation");
    const bool analytic = given::simulation::network.of(options) == Model::analytic;
    const auto nodes = double(topology.nodes());
    const auto switches = double(topology.switches());
    // Some arrays are whole from the start, whoever takes part; measured.
    const double ports = analytic ? 0.0 : switches * stride * 64.0 + nodes * 144.0;
    // Ports keep trains in an array of its own, which costs memory where there are any.
    const auto& parameters = parts.setup.parameters;
    const bool may_have_trains = !analytic && parameters.trains_per_message > 0;
    const bool has_trains = may_have_trains && traffic.bytes > traffic.messages *
                                                                   parameters.trains_per_message *
                                                                   double(parameters.packet_size);
    const double trains =
        may_have_trains ? switches * stride * double(sim::Trains::bytes_per_port) : 0.0;
    const double touched_trains = has_trains ? touched_share(parts, ranks) * trains : 0.0;
    const double network =
        analytic ? nodes * 32.0 + switches * 4.0
                 : nodes * 2.0 + switches * 16.0 + touched_share(parts, ranks) * ports;
    const double per_rank = double(sizeof(SimRank)) + 700.0;
    // The rest is matching, packets and events: 100 to 250 bytes were measured.
    const double per_message =
        double(sizeof(sim::Message)) + 2.0 * double(sizeof(RequestRecord)) + 200.0;
    double packets = analytic ? 0.0 : traffic.bytes / double(parameters.packet_size);
    if (parameters.trains_per_message > 0) {
        packets = std::min(packets, std::max(traffic.messages * parameters.trains_per_message,
                                             traffic.bytes / double(parameters.largest_train)));
    }
    const double memory = 40e6 + network + touched_trains +
                          double(ranks) * (per_rank + traffic.in_flight_per_rank * per_message);
    const auto threads = double(given::simulation::threads.of(options, 1));
    const double reserved = tables_address + (1.0 - touched_share(parts, ranks)) * ports +
                            (trains - touched_trains) +
                            (threads > 1 ? heaps_address + threads * thread_address : 0.0);
    return {memory, memory + reserved, packets + traffic.messages, topology.nodes(),
            topology.switches()};
}

}  // namespace tradewind::simcomm

/// Reads the sections; each key is described in docs/reference.
#include "tradewind/simcomm/assemble.hpp"

#include <algorithm>

#include "tradewind/base/errors.hpp"
#include "tradewind/sim/routing/catalogue.hpp"
#include "tradewind/sim/topology/catalogue.hpp"
#include "tradewind/simcomm/joint.hpp"
#include "tradewind/simcomm/partition.hpp"

namespace tradewind::simcomm {

namespace {

const Settings& section(const Sections& sections, const std::string& name) {
    static const Settings nothing;
    const auto found = sections.find(name);
    return found == sections.end() ? nothing : found->second;
}

Picoseconds duration(const Settings& settings, const std::string& key, Picoseconds otherwise) {
    return settings.whole(key, otherwise, 0, picoseconds_per_second);
}

double rate(const Settings& settings, const std::string& key, double otherwise) {
    const double value = settings.get<double>(key, otherwise);
    if (!(value > 0.0)) throw ConfigError(text(key, " = ", value, ": must be positive"));
    return value;
}

double not_negative(const Settings& settings, const std::string& key) {
    const double value = settings.get<double>(key, 0.0);
    if (!(value >= 0.0)) throw ConfigError(text(key, " = ", value, ": must not be negative"));
    return value;
}

Bytes size(const Settings& settings, const std::string& key, Bytes otherwise, Bytes low = 0) {
    return settings.whole(key, otherwise, low, Bytes{1} << 30);
}

template <class T>
T choice(const Settings& settings, const std::string& key,
         std::initializer_list<std::pair<const char*, T>> choices) {
    const auto value = settings.get<std::string>(key, choices.begin()->first);
    std::string known;
    for (const auto& [name, result] : choices) {
        if (value == name) return result;
        known += text(known.empty() ? "" : ", ", name);
    }
    throw ConfigError(text(key, " = \"", value, "\" is unknown; known: ", known));
}

enum class Model : std::uint8_t { packet, packet_unbounded, analytic };

Model network_model(const Sections& sections) {
    return choice<Model>(section(sections, "simulation"), "network",
                         {{"packet", Model::packet},
                          {"packet_unbounded", Model::packet_unbounded},
                          {"analytic", Model::analytic}});
}

/// Returns true if the packets of a long message pass the network as one train would. They do not
/// where they spread over several routes. They do not where they come in more slowly than a link
/// could carry them, and leave room for others between them. They do not where a buffer has room
/// for few of them, or for fewer than a link carries until credit comes back.
bool fits_trains(const sim::Routing& routing, const sim::NetworkParameters& parameters) {
    if (!routing.keeps_order()) return false;
    if (parameters.switch_buffer == 0) return true;
    const double slowest = parameters.injection.rate.ps_per_byte();
    const auto is_roomy = [&](const sim::LinkSpeed& link, Bytes buffer) {
        const TransferRate sustained = sim::sustained_rate(parameters, link, buffer);
        return buffer >= 8 * parameters.packet_size &&
               sustained.ps_per_byte() == link.rate.ps_per_byte();
    };
    if (parameters.nic_buffer > 0 && !is_roomy(parameters.injection, parameters.nic_buffer))
        return false;
    return std::ranges::all_of(parameters.links, [&](const sim::LinkSpeed& link) {
        return link.rate.ps_per_byte() >= slowest && is_roomy(link, parameters.switch_buffer);
    });
}

/// Chooses trains for packet_size = "auto": they get shorter in proportion to the asked-for error.
/// At 5 % there are 32 of them in a message, and none is longer than 128 KiB; than half of that
/// where buffers hardly limit the packets under way; than a quarter where the age or the message of
/// a packet decides about its turn. Where trains do not pass as their packets would, they are one
/// packet long at 5 %, two at 10 % (measured: docs/explanation/performance.md).
void read_trains(const Settings& simulation, const sim::Routing& routing,
                 sim::NetworkParameters& parameters) {
    const double target = simulation.get<double>("error_target", 0.05);
    if (!(target > 0.0)) throw ConfigError(text("error_target = ", target, ": must be positive"));
    const double coarseness = target / 0.05;
    parameters.trains_per_message = std::int32_t(std::clamp(32.0 / coarseness, 4.0, 4096.0));
    const bool takes_turns =
        parameters.messages_in_turn > 1 || parameters.arbitration == sim::Arbitration::oldest_first;
    const double packet = double(parameters.packet_size);
    const bool is_roomy = parameters.switch_buffer == 0 || parameters.switch_buffer >= Bytes{1}
                                                                                           << 20;
    const double longest = !fits_trains(routing, parameters) ? packet
                           : takes_turns                     ? 32768.0
                           : is_roomy                        ? 65536.0
                                                             : 131072.0;
    const auto packets = std::clamp<Bytes>(Bytes(coarseness * longest / packet), 1, 1 << 14);
    parameters.largest_train = packets * parameters.packet_size;
}

void read_links(const Settings& settings, const sim::Topology& topology,
                sim::NetworkParameters& parameters) {
    const double bandwidth = rate(settings, "bandwidth", 10e9);
    const Picoseconds latency = duration(settings, "latency", 100'000);
    for (const auto& name : topology.link_classes()) {
        parameters.links.push_back({TransferRate(rate(settings, name + "_bandwidth", bandwidth)),
                                    duration(settings, name + "_latency", latency)});
    }
}

void read_packets(const Settings& simulation, Model model, const sim::Routing& routing,
                  sim::NetworkParameters& parameters) {
    const Bytes packet = size(simulation, "packet_size", 4096);
    parameters.packet_size = packet > 0 ? packet : 4096;
    parameters.seed = std::uint64_t(simulation.get<std::int64_t>("seed", 1));
    if (model == Model::packet_unbounded) parameters.switch_buffer = 0;
    if (packet == 0) read_trains(simulation, routing, parameters);
    if (model == Model::packet && parameters.switch_buffer < parameters.packet_size) {
        throw ConfigError(text("switch.buffer = ", parameters.switch_buffer,
                               " bytes for a virtual channel: a packet of ", parameters.packet_size,
                               " bytes must fit (or use network = \"packet_unbounded\")"));
    }
}

/// Reads arbiters and buffers. A buffer for a whole port is divided among the channels of the rule.
void read_switches(const Settings& fabric, const sim::Routing& routing,
                   sim::NetworkParameters& result) {
    using sim::Arbitration;
    using sim::PortSharing;
    result.switch_latency = duration(fabric, "latency", 0);
    result.arbitration = choice<Arbitration>(fabric, "arbitration",
                                             {{"first_come", Arbitration::first_come},
                                              {"round_robin", Arbitration::round_robin},
                                              {"oldest_first", Arbitration::oldest_first},
                                              {"transit_first", Arbitration::transit_first},
                                              {"weighted", Arbitration::weighted}});
    result.transit_weight = std::int32_t(fabric.whole("transit_weight", 1, 1, 10'000));
    result.port_sharing = choice<PortSharing>(
        fabric, "port_sharing",
        {{"interleaved", PortSharing::interleaved}, {"exclusive", PortSharing::exclusive}});
    result.credit_return = choice<sim::CreditReturn>(
        fabric, "credit_return",
        {{"tail", sim::CreditReturn::tail}, {"head", sim::CreditReturn::head}});
    const bool divided = choice<bool>(fabric, "buffer_per", {{"channel", false}, {"port", true}});
    if (divided) result.switch_buffer /= routing.channels();
    if (fabric.has("crossbar_bandwidth")) {
        result.crossbar = TransferRate(rate(fabric, "crossbar_bandwidth", 1e15));
    }
}

sim::NetworkParameters read_network(const Sections& sections, const sim::Topology& topology,
                                    const sim::Routing& routing) {
    sim::NetworkParameters result;
    const Settings& nic = section(sections, "nic");
    const Settings& node = section(sections, "node");
    const Settings& message = section(sections, "message");
    const Settings& fabric = section(sections, "switch");
    read_links(section(sections, "link"), topology, result);
    const double injection = rate(nic, "injection_bandwidth", 10e9);
    result.injection = {TransferRate(injection), duration(nic, "injection_latency", 100'000)};
    result.ejection = {TransferRate(rate(nic, "ejection_bandwidth", injection)),
                       duration(nic, "ejection_latency", result.injection.latency)};
    result.nics_per_node = std::int32_t(nic.whole("per_node", 1, 1, 64));
    result.message_gap = duration(nic, "gap", 0);
    result.messages_in_turn = std::int32_t(nic.whole("messages_in_turn", 1, 1, 1024));
    result.switch_buffer = size(fabric, "buffer", 65536);
    result.nic_buffer = size(nic, "buffer", result.switch_buffer);
    read_switches(fabric, routing, result);
    result.node_model = choice<sim::NodeModel>(node, "model",
                                               {{"AMM1", sim::NodeModel::amm1},
                                                {"AMM2", sim::NodeModel::amm2},
                                                {"AMM3", sim::NodeModel::amm3}});
    result.memory = TransferRate(rate(node, "memory_bandwidth", 100e9));
    result.memory_latency = duration(node, "memory_latency", 100'000);
    if (node.has("message_bandwidth"))
        result.message_memory = TransferRate(rate(node, "message_bandwidth", 1e15));
    result.control_latency = duration(node, "control_latency", result.memory_latency);
    result.control_size = size(message, "control_size", 64, 1);
    result.flight_latency = duration(message, "latency", 0);
    const double per_byte = not_negative(message, "gap_per_byte");
    result.flight_rate = TransferRate(per_byte > 0.0 ? 1e12 / per_byte : injection);
    read_packets(section(sections, "simulation"), network_model(sections), routing, result);
    return result;
}

/// Returns the time per byte of a rate, or `otherwise` without one.
double read_ps_per_byte(const Settings& node, const char* key, double otherwise) {
    return node.has(key) ? 1e12 / rate(node, key, 1e15) : otherwise;
}

LocalCosts read_local(const Settings& node) {
    LocalCosts result;
    result.copy_ps_per_byte = read_ps_per_byte(node, "copy_bandwidth", 0.0);
    result.sum_ps_per_byte = read_ps_per_byte(node, "sum_bandwidth", 0.0);
    result.uncached_copy_ps_per_byte =
        read_ps_per_byte(node, "uncached_copy_bandwidth", result.copy_ps_per_byte);
    result.uncached_sum_ps_per_byte =
        read_ps_per_byte(node, "uncached_sum_bandwidth", result.sum_ps_per_byte);
    if (node.has("cache")) result.cache = size(node, "cache", 0);
    result.block = duration(node, "copy_overhead", 0);
    for (const char* key : {"copy_bandwidth", "sum_bandwidth", "uncached_copy_bandwidth",
                            "uncached_sum_bandwidth", "copy_overhead"})
        result.are_known = result.are_known || node.has(key);
    return result;
}

RankParameters read_ranks(const Sections& sections) {
    const Settings& message = section(sections, "message");
    RankParameters result;
    result.send_overhead = duration(message, "overhead_send", 0);
    result.receive_overhead = duration(message, "overhead_receive", result.send_overhead);
    result.overhead_per_byte_ps = not_negative(message, "overhead_per_byte");
    result.eager_limit = size(message, "eager_limit", 16384);
    const Settings& node = section(sections, "node");
    result.flops_per_second = rate(node, "flops", 1e10);
    if (node.has("eager_limit")) result.node_eager_limit = size(node, "eager_limit", 0);
    result.send_copy_ps = not_negative(message, "copy_per_byte_send");
    result.receive_copy_ps = not_negative(message, "copy_per_byte_receive");
    result.rendezvous_overhead = duration(message, "overhead_rendezvous", 0);
    result.synchronous_overhead = duration(message, "overhead_synchronous", 0);
    result.ready_overhead = duration(message, "overhead_ready", 0);
    result.put_overhead = duration(message, "overhead_put", 0);
    result.local = read_local(node);
    return result;
}

ProcessGrid read_processes(const Settings& placement) {
    const auto numbers = placement.need<std::vector<std::int64_t>>("processes");
    if (numbers.size() != 2)
        throw ConfigError("placement: processes must be two numbers, cx and cy");
    return {numbers[0], numbers[1]};
}

Placement read_placement(const Sections& sections, Rank ranks, const sim::Topology& topology) {
    const Settings& placement = section(sections, "placement");
    PlacementRequest request;
    request.rule = placement.get<std::string>("rule", "linear");
    request.ranks = ranks;
    request.ranks_per_node =
        std::int32_t(section(sections, "node").whole("ranks_per_node", 1, 1, 4096));
    request.nics_per_node = std::int32_t(section(sections, "nic").whole("per_node", 1, 1, 64));
    request.seed = std::uint64_t(placement.get<std::int64_t>("seed", 1));
    if (placement.has("nodes")) request.nodes = placement.need<std::vector<std::int64_t>>("nodes");
    if (request.rule == "tiles") request.processes = read_processes(placement);
    return {request, topology};
}

sim::ObserveParameters read_observation(const Settings& simulation, Rank ranks) {
    sim::ObserveParameters result;
    result.ranks = ranks;
    result.matrix_bins =
        std::int32_t(std::min<std::int64_t>(simulation.whole("matrix_bins", 0, 0, 4096), ranks));
    if (simulation.get<bool>("timeline", false)) {
        result.timeline_records = simulation.whole("max_timeline_records", 100'000, 1, 100'000'000);
    }
    result.packet_waits = simulation.get<bool>("packet_waits", false);
    result.link_details = simulation.get<bool>("link_details", false);
    result.link_map_bins = std::int32_t(simulation.whole("link_map_bins", 0, 0, 128));
    return result;
}

Settings without_name(const Settings& settings) {
    auto values = settings.values();
    values.erase("name");
    return Settings(std::move(values));
}

}  // namespace

std::unique_ptr<sim::Topology> make_topology(const Sections& sections) {
    const Settings& settings = section(sections, "topology");
    return sim::make_topology(settings.need<std::string>("name"), without_name(settings));
}

std::unique_ptr<sim::Routing> make_routing(const Sections& sections,
                                           const sim::Topology& topology) {
    const Settings& settings = section(sections, "routing");
    return sim::make_routing(settings.get<std::string>("name", "minimal"), topology,
                             without_name(settings));
}

namespace {

/// All objects to which a run refers.
struct Parts {
    Parts(const Sections& sections, Rank ranks)
        : topology(make_topology(sections)),
          routing(make_routing(sections, *topology)),
          shortest(sim::make_routing("minimal", *topology, {})),
          placement(read_placement(sections, ranks, *topology)),
          placement_settings(section(sections, "placement")),
          ranks_per_node(section(sections, "node").whole("ranks_per_node", 1, 1, 4096)) {
        setup.parameters = read_network(sections, *topology, *routing);
        setup.ranks = read_ranks(sections);
        setup.placement = &placement;
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
    Machine(const Sections& sections, Rank ranks, sim::Transport* transport)
        : parts(sections, ranks) {
        const Settings& options = section(sections, "simulation");
        const Model model = network_model(sections);
        auto& setup = parts.setup;
        setup.schedule.width = window_width(setup.parameters, model);
        setup.schedule.transport = transport;
        if (ranks >= many_ranks) setup.schedule.part_bits = 11;
        setup.schedule.threads = int(options.whole("threads", 1, 1, 256));
        setup.schedule.bounds =
            balanced_bounds(*parts.topology, *parts.routing, parts.placement,
                            setup.parameters.nics_per_node, setup.schedule.processes());
        const sim::ObserveParameters observe = read_observation(options, ranks);
        setup.timeline_records = observe.timeline_records;
        sim::NetworkSetup network_setup{parts.topology.get(), parts.routing.get(),
                                        parts.shortest.get(), setup.parameters,
                                        setup.schedule,       observe};
        network = model == Model::analytic ? sim::make_analytic_network(std::move(network_setup))
                                           : sim::make_packet_network(std::move(network_setup));
        setup.network = network.get();
        simulation = std::make_unique<Simulation>(setup);
    }

    Parts parts;
    std::unique_ptr<sim::Network> network;
    std::unique_ptr<Simulation> simulation;
};

}  // namespace

Outcome simulate(const Sections& sections, const Program& program, Rank ranks,
                 const RunProgress& progress, sim::Transport* transport) {
    std::unique_ptr<Machine> machine;
    together(transport, [&] { machine = std::make_unique<Machine>(sections, ranks, transport); });
    const sim::Topology& topology = *machine->parts.topology;
    return {machine->simulation->run(program, progress), topology.nodes(), topology.switches(),
            topology.link_classes()};
}

namespace {

/// Returns the share of the ports that cost memory, which they do when they are first used. With
/// in-order routes and ranks on neighbouring nodes these are the ports on and around the routes
/// between the used switches; else all.
double touched_share(const Parts& parts, Rank ranks) {
    const Settings& placement = parts.placement_settings;
    const bool compact =
        parts.routing->keeps_order() && placement.get<std::string>("rule", "linear") == "linear";
    const double nodes = double(parts.topology->nodes()) * double(parts.ranks_per_node);
    return compact ? std::min(1.0, 3.0 * double(ranks) / nodes) : 1.0;
}

}  // namespace

Prediction predict(const Sections& sections, Rank ranks, const ExpectedTraffic& traffic) {
    const Parts parts(sections, ranks);
    const auto& topology = *parts.topology;
    const double stride = double(topology.radix()) + double(parts.setup.nics_per_switch);
    const bool analytic = network_model(sections) == Model::analytic;
    const auto nodes = double(topology.nodes());
    const auto switches = double(topology.switches());
    // Some arrays are whole from the start, whoever takes part; measured.
    const double network =
        analytic ? nodes * 32.0 + switches * 4.0
                 : nodes * 2.0 + switches * 16.0 +
                       touched_share(parts, ranks) * (switches * stride * 64.0 + nodes * 144.0);
    const double per_rank = double(sizeof(SimRank)) + 700.0;
    // The rest is matching, packets and events: 100 to 250 bytes were measured.
    const double per_message =
        double(sizeof(sim::Message)) + 2.0 * double(sizeof(RequestRecord)) + 200.0;
    const auto& parameters = parts.setup.parameters;
    double packets = analytic ? 0.0 : traffic.bytes / double(parameters.packet_size);
    if (parameters.trains_per_message > 0) {
        packets = std::min(packets, std::max(traffic.messages * parameters.trains_per_message,
                                             traffic.bytes / double(parameters.largest_train)));
    }
    return {50e6 + network + double(ranks) * (per_rank + traffic.in_flight_per_rank * per_message),
            packets + traffic.messages, topology.nodes(), topology.switches()};
}

}  // namespace tradewind::simcomm

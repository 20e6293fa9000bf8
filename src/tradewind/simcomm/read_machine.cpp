/// Reads the sections of a machine and of a simulation, as machine_settings.hpp declares them.
#include "tradewind/simcomm/read_machine.hpp"

#include <algorithm>
#include <cmath>

#include "tradewind/base/errors.hpp"
#include "tradewind/simcomm/machine_settings.hpp"

namespace tradewind::simcomm {

namespace {

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
/// At 5 % there are 32 of them in a message, and none is longer than 128 KiB; than 48 KiB where
/// buffers hardly limit the packets under way; than 32 KiB where the age or the message of a packet
/// decides about its turn. Where trains do not pass as their packets would, they are one packet
/// long at 5 %, two at 10 %, and more only where routes spread. On routes that meet others at every
/// link, all trains are a quarter as long at 5 %, and half as long at 20 % (measured:
/// docs/explanation/performance.md). These longer ones keep their room at interfaces where ports
/// serve by first come. Ports that single packets share with trains ask for trains of 32 KiB, or of
/// 16 where age or message decide. Elsewhere a message begins with trains of 128 KiB, so that ports
/// can ask in time.
void read_trains(const Settings& simulation, const sim::Routing& routing,
                 sim::NetworkParameters& parameters) {
    const double ratio = given::simulation::error_target.of(simulation) / 0.05;
    const bool fits = fits_trains(routing, parameters);
    const double coarseness = routing.meets_at_every_link()    ? ratio * std::sqrt(ratio) / 4
                              : !fits && routing.keeps_order() ? std::min(ratio, 2.0)
                                                               : ratio;
    const bool takes_turns =
        parameters.messages_in_turn > 1 || parameters.arbitration == sim::Arbitration::oldest_first;
    const double packet = double(parameters.packet_size);
    const bool is_roomy = parameters.switch_buffer == 0 || parameters.switch_buffer >= Bytes{1}
                                                                                           << 20;
    constexpr Bytes usual = 128 << 10;
    const double longest = !fits         ? packet
                           : takes_turns ? 32768.0
                           : is_roomy    ? 49152.0
                                         : double(usual);
    // Ratios of decimal fractions, such as 0.15 / 0.05, may lie just below a whole number.
    const auto packets = std::clamp<Bytes>(Bytes(coarseness * longest / packet + 1e-6), 1, 1 << 14);
    if (packets == 1) return;
    parameters.trains_per_message = std::int32_t(std::clamp(32.0 / coarseness, 4.0, 4096.0));
    parameters.largest_train = packets * parameters.packet_size;
    if (parameters.largest_train > usual && !routing.meets_at_every_link())
        parameters.first_train = usual;
    parameters.holds_train_room = routing.meets_at_every_link() && ratio > 1 &&
                                  parameters.arbitration == sim::Arbitration::first_come;
    const double shorter = takes_turns ? 16384.0 : 32768.0;
    const Bytes short_train =
        std::max(parameters.packet_size,
                 Bytes(std::min(ratio, 1.0) * shorter / packet) * parameters.packet_size);
    if (short_train < parameters.largest_train) parameters.short_train = short_train;
}

void read_links(const Settings& settings, const sim::Topology& topology,
                sim::NetworkParameters& parameters) {
    const double bandwidth = given::link::bandwidth.of(settings);
    const Picoseconds latency = given::link::latency.of(settings);
    for (const auto& name : topology.link_classes()) {
        const std::string own_bandwidth = name + "_bandwidth";
        const std::string own_latency = name + "_latency";
        parameters.links.push_back(
            {TransferRate(declare::rate(own_bandwidth, "").of(settings, bandwidth)),
             given::duration(own_latency, "").within(1, given::second).of(settings, latency)});
    }
}

void read_packets(const Settings& simulation, const sim::Routing& routing,
                  sim::NetworkParameters& parameters) {
    const Model model = given::simulation::network.of(simulation);
    const Bytes packet = given::simulation::packet_size.of(simulation);
    parameters.packet_size = packet > 0 ? packet : 4096;
    parameters.seed = std::uint64_t(given::simulation::seed.of(simulation));
    if (model == Model::packet_unbounded) parameters.switch_buffer = 0;
    if (packet == 0) read_trains(simulation, routing, parameters);
    if (model == Model::packet && parameters.switch_buffer < parameters.packet_size) {
        throw ConfigError(text("switch.buffer = ", parameters.switch_buffer,
                               " bytes for a virtual channel: a packet of ", parameters.packet_size,
                               " bytes must fit (or use network = \"packet_unbounded\")"));
    }
}

/// Reads arbiters and buffers. A buffer for a whole port is divided among the channels of the rule.
void read_switches(const Settings& settings, const sim::Routing& routing,
                   sim::NetworkParameters& result) {
    namespace own = given::fabric;
    result.switch_latency = own::latency.of(settings);
    result.switch_buffer = own::buffer.of(settings);
    result.arbitration = own::arbitration.of(settings);
    result.transit_weight = std::int32_t(own::transit_weight.of(settings));
    result.port_sharing = own::port_sharing.of(settings);
    result.credit_return = own::credit_return.of(settings);
    if (own::buffer_per.of(settings)) result.switch_buffer /= routing.channels();
    if (const auto limit = own::crossbar_bandwidth.find(settings))
        result.crossbar = TransferRate(*limit);
}

void read_interfaces(const Settings& settings, sim::NetworkParameters& result) {
    namespace own = given::nic;
    const double injected = own::injection_bandwidth.of(settings);
    result.injection = {TransferRate(injected), own::injection_latency.of(settings)};
    result.ejection = {TransferRate(own::ejection_bandwidth.of(settings, injected)),
                       own::ejection_latency.of(settings)};
    result.nics_per_node = std::int32_t(own::per_node.of(settings));
    result.message_gap = own::gap.of(settings);
    result.messages_in_turn = std::int32_t(own::messages_in_turn.of(settings));
    result.nic_buffer = own::buffer.of(settings);
}

void read_nodes(const Settings& settings, sim::NetworkParameters& result) {
    namespace own = given::node;
    result.node_model = own::model.of(settings);
    result.numa_domains = std::int32_t(own::numa_domains.of(settings, 1));
    result.numa_latency = own::numa_latency.of(settings, 0);
    if (result.numa_domains > 1 && result.node_model == sim::NodeModel::amm1) {
        throw ConfigError(text("node.numa_domains = ", result.numa_domains,
                               ": node.model = \"AMM1\" gives every rank a memory of its own; use "
                               "AMM2 or AMM3"));
    }
    result.memory = TransferRate(own::memory_bandwidth.of(settings) / result.numa_domains);
    result.memory_latency = own::memory_latency.of(settings);
    if (const auto rate = own::message_bandwidth.find(settings))
        result.message_memory = TransferRate(*rate);
    result.control_latency = own::control_latency.of(settings, result.memory_latency);
}

/// Returns the time per byte of a rate, or `otherwise` without one.
double ps_per_byte(const RealSetting& rate, const Settings& settings, double otherwise) {
    const auto given = rate.find(settings);
    return given ? 1e12 / *given : otherwise;
}

LocalCosts read_local(const Settings& settings) {
    namespace own = given::node;
    LocalCosts result;
    result.copy_ps_per_byte = ps_per_byte(own::copy_bandwidth, settings, 0.0);
    result.sum_ps_per_byte = ps_per_byte(own::sum_bandwidth, settings, 0.0);
    result.uncached_copy_ps_per_byte =
        ps_per_byte(own::uncached_copy_bandwidth, settings, result.copy_ps_per_byte);
    result.uncached_sum_ps_per_byte =
        ps_per_byte(own::uncached_sum_bandwidth, settings, result.sum_ps_per_byte);
    result.cache = own::cache.of(settings, result.cache);
    result.block = own::copy_overhead.of(settings, 0);
    const Declaration* const costs[] = {&own::copy_bandwidth, &own::sum_bandwidth,
                                        &own::uncached_copy_bandwidth, &own::uncached_sum_bandwidth,
                                        &own::copy_overhead};
    result.are_known = std::ranges::any_of(
        costs, [&](const Declaration* cost) { return settings.has(cost->name()); });
    return result;
}

}  // namespace

const Settings& section(const Sections& sections, const std::string& name) {
    static const Settings nothing;
    const auto found = sections.find(name);
    return found == sections.end() ? nothing : found->second;
}

sim::NetworkParameters read_network(const Sections& sections, const sim::Topology& topology,
                                    const sim::Routing& routing) {
    sim::NetworkParameters result;
    read_links(section(sections, "link"), topology, result);
    read_interfaces(section(sections, "nic"), result);
    read_switches(section(sections, "switch"), routing, result);
    read_nodes(section(sections, "node"), result);
    const Settings& message = section(sections, "message");
    result.control_size = given::message::control_size.of(message);
    result.flight_latency = given::message::latency.of(message);
    const double per_byte = given::message::gap_per_byte.of(message);
    result.flight_rate = per_byte > 0.0 ? TransferRate(1e12 / per_byte) : result.injection.rate;
    read_packets(section(sections, "simulation"), routing, result);
    return result;
}

RankParameters read_ranks(const Sections& sections) {
    namespace own = given::message;
    const Settings& settings = section(sections, "message");
    const Settings& node = section(sections, "node");
    RankParameters result;
    result.send_overhead = own::overhead_send.of(settings);
    result.receive_overhead = own::overhead_receive.of(settings);
    result.overhead_per_byte_ps = own::overhead_per_byte.of(settings);
    result.eager_limit = own::eager_limit.of(settings);
    result.flops_per_second = given::node::flops.of(node);
    result.compute_spread = given::node::compute_spread.of(node);
    result.compute_seed = std::uint64_t(given::node::compute_seed.of(node));
    result.node_eager_limit = given::node::eager_limit.of(node, result.node_eager_limit);
    result.send_copy_ps = own::copy_per_byte_send.of(settings, 0.0);
    result.receive_copy_ps = own::copy_per_byte_receive.of(settings, 0.0);
    result.rendezvous_overhead = own::overhead_rendezvous.of(settings, 0);
    result.synchronous_overhead = own::overhead_synchronous.of(settings, 0);
    result.ready_overhead = own::overhead_ready.of(settings, 0);
    result.put_overhead = own::overhead_put.of(settings, 0);
    result.put_copy_ps = ps_per_byte(given::node::put_bandwidth, node, 0.0);
    result.has_ready_rendezvous = own::ready_rendezvous.of(settings);
    result.has_weak_progress = own::progress.of(settings);
    result.local = read_local(node);
    return result;
}

Placement read_placement(const Sections& sections, Rank ranks, const sim::Topology& topology) {
    const Settings& settings = section(sections, "placement");
    PlacementRequest request;
    request.rule = given::placement::rule.of(settings);
    request.ranks = ranks;
    request.ranks_per_node =
        std::int32_t(given::node::ranks_per_node.of(section(sections, "node")));
    const Settings& nic = section(sections, "nic");
    request.nics_per_node = std::int32_t(given::nic::per_node.of(nic));
    request.affinity = given::nic::affinity.of(nic);
    request.numa_domains = std::int32_t(given::node::numa_domains.of(section(sections, "node"), 1));
    request.seed = std::uint64_t(given::placement::seed.of(settings));
    // The nodes of the rule "file", which Python has read.
    if (settings.has("nodes")) request.nodes = settings.need<std::vector<std::int64_t>>("nodes");
    if (request.rule == "tiles") {
        const auto grid = given::placement::processes.of(settings);
        request.processes = ProcessGrid{grid[0], grid[1]};
    }
    return {request, topology};
}

void check_room(const Sections& sections, std::int64_t ranks) {
    const std::unique_ptr<sim::Topology> topology = make_topology(sections);
    check_room(ranks, std::int32_t(given::node::ranks_per_node.of(section(sections, "node"))),
               *topology);
}

sim::ObserveParameters read_observation(const Settings& settings, Rank ranks) {
    namespace own = given::simulation;
    sim::ObserveParameters result;
    result.ranks = ranks;
    result.matrix_bins = std::int32_t(std::min<std::int64_t>(own::matrix_bins.of(settings), ranks));
    if (own::timeline.of(settings))
        result.timeline_records = own::max_timeline_records.of(settings);
    result.packet_waits = own::packet_waits.of(settings);
    result.link_details = own::link_details.of(settings);
    result.link_map_bins = std::int32_t(own::link_map_bins.of(settings, 0));
    return result;
}

}  // namespace tradewind::simcomm

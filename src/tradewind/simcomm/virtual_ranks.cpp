/// The small machine of run_virtual: a torus with room for all ranks, two ranks per node, small
/// buffers.
#include "tradewind/simcomm/virtual_ranks.hpp"

#include <cmath>

#include "tradewind/sim/routing/catalogue.hpp"
#include "tradewind/sim/topology/catalogue.hpp"

namespace tradewind::simcomm {

namespace {

sim::NetworkParameters small_network() {
    sim::NetworkParameters parameters;
    const TransferRate rate(10e9);
    parameters.links = {{rate, 100'000}};
    parameters.injection = {rate, 50'000};
    parameters.ejection = {rate, 50'000};
    parameters.switch_latency = 20'000;
    parameters.switch_buffer = 8192;
    parameters.nic_buffer = 8192;
    parameters.packet_size = 1024;
    parameters.memory = TransferRate(50e9);
    parameters.memory_latency = 30'000;
    parameters.control_latency = 30'000;
    return parameters;
}

}  // namespace

Traffic run_virtual(Rank ranks, const Program& program, const RunProgress& progress) {
    constexpr std::int32_t ranks_per_node = 2;
    constexpr std::int64_t nodes_per_switch = 2;
    const auto switches =
        (ranks + ranks_per_node * nodes_per_switch - 1) / (ranks_per_node * nodes_per_switch);
    const auto side = std::int64_t(std::ceil(std::sqrt(double(switches))));
    Settings shape;
    shape.set("extents", std::vector<std::int64_t>{side, (switches + side - 1) / side});
    shape.set("nodes_per_switch", nodes_per_switch);
    const auto topology = sim::make_topology("torus", shape);
    const auto routing = sim::make_routing("dimension_order", *topology, {});

    SimulationSetup setup;
    setup.parameters = small_network();
    setup.ranks = {200'000, 200'000, 0.0, 512, 100'000, 1e9, {}};
    setup.schedule = {sim::lookahead(setup.parameters), {0, sim::Location(topology->switches())}};
    setup.schedule.windows_per_look = 1;
    setup.nics_per_switch = nodes_per_switch;
    const Placement placement({"linear", ranks, ranks_per_node, 1, 1, {}}, *topology);
    setup.placement = &placement;
    const auto network = sim::make_packet_network(
        {topology.get(), routing.get(), routing.get(), setup.parameters, setup.schedule, {}});
    setup.network = network.get();
    Simulation simulation(setup);
    const RunResult result = simulation.run(program, progress);
    return {result.messages, result.bytes, result.time};
}

}  // namespace tradewind::simcomm

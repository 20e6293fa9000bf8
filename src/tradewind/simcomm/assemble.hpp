/// Assembly of a simulation from settings: builds topology, routing, network and ranks, and runs a
/// program on them.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "tradewind/base/settings.hpp"
#include "tradewind/sim/routing/routing.hpp"
#include "tradewind/simcomm/simulation.hpp"

namespace tradewind::simcomm {

/// One table of settings for each of: topology, routing, link, switch, nic, node, message,
/// placement, simulation.
using Sections = std::map<std::string, Settings>;

/// Makes the topology or the routing rule of the sections. The topology must outlive the rule.
[[nodiscard]] std::unique_ptr<sim::Topology> make_topology(const Sections& sections);
[[nodiscard]] std::unique_ptr<sim::Routing> make_routing(const Sections& sections,
                                                         const sim::Topology& topology);

struct Outcome {
    RunResult run;
    std::int64_t nodes = 0;
    std::int64_t switches = 0;
    std::vector<std::string> link_classes;
};

/// Runs `program` on `ranks` ranks. Throws ConfigError or TopologyError before anything runs, later
/// DeadlockError, Interrupted and the exception of a rank.
///
/// The processes of `group` share the simulation, each with as many threads as the settings
/// say. All call this with the same arguments but for `progress`. See Simulation::run.
[[nodiscard]] Outcome simulate(const Sections& sections, const Program& program, Rank ranks,
                               const RunProgress& progress = {},
                               sim::ProcessGroup* group = nullptr);

/// The estimated traffic of a program.
struct ExpectedTraffic {
    double messages = 0.0;
    double bytes = 0.0;
    double in_flight_per_rank = 0.0;
};

/// The estimated needs of a run.
struct Prediction {
    double memory_bytes = 0.0;
    /// Address space, most of which a run never touches on a large machine with few ranks.
    double address_bytes = 0.0;
    double packets = 0.0;
    std::int64_t nodes = 0;
    std::int64_t switches = 0;
};
[[nodiscard]] Prediction predict(const Sections& sections, Rank ranks,
                                 const ExpectedTraffic& traffic);

}  // namespace tradewind::simcomm

/// Messages to the neighbours in a graph from a file as a program.
#include <algorithm>

#include "tradewind/base/data_file.hpp"
#include "tradewind/comm/neighbor/graph.hpp"
#include "tradewind/program/pattern.hpp"
#include "tradewind/skeleton/graph_file.hpp"
#include "tradewind/skeleton/read_plan.hpp"

namespace tradewind::skeleton {

namespace {

constexpr auto graph =
    declare::file("graph", "edge list with a line FROM TO BYTES per message, or METIS graph")
        .required();
constexpr auto partition_file = declare::word(
    "partition_file", "file with the rank of each vertex of a METIS graph; none: an edge list");
constexpr auto unit =
    declare::size("bytes", "bytes of a unit of weight in the graph", 1).within(1, large);
constexpr const Declaration* settings_of_graph[] = {&graph, &partition_file, &unit,
                                                    &shared::repeat};

/// A program of `repeat` exchanges with the neighbours in a graph.
struct GraphExchange {
    RankGraph neighbors;
    std::int64_t repeat = 1;
    const NeighborAlgorithm* algorithm = nullptr;
    Options options;
};

Task exchange(Comm& comm, const GraphExchange& plan, std::int64_t times) {
    comm.begin_phase("graph");
    const Neighborhood& own = plan.neighbors[std::size_t(comm.rank())];
    const NeighborExchange data{ConstBuffer(extent(own.destinations)), Buffer(extent(own.sources)),
                                &own};
    for (std::int64_t i = 0; i < times; ++i) {
        co_await plan.algorithm->run(comm, data, plan.options);
    }
}

Task start(Comm& comm, const GraphExchange& plan) {
    return exchange(comm, plan, plan.repeat);
}

[[nodiscard]] Estimate estimate(const GraphExchange& plan, Rank ranks) {
    const auto run = [&](Comm& comm) { return exchange(comm, plan, 1); };
    return double(plan.repeat) * count_messages(ranks, run);
}

/// Returns the average bytes of a message; 0 if there is none.
[[nodiscard]] Bytes average_message(const RankGraph& graph) {
    std::int64_t messages = 0;
    Bytes bytes = 0;
    for (const Neighborhood& own : graph) {
        messages += std::int64_t(own.destinations.size());
        bytes += extent(own.destinations);
    }
    return messages > 0 ? bytes / messages : 0;
}

[[nodiscard]] std::vector<OperationUse> uses(const GraphExchange& plan, Rank ranks) {
    return {{"neighbor", ranks, average_message(plan.neighbors), "", plan.repeat, ""}};
}

GraphExchange read(const Settings& settings, Rank ranks) {
    refuse_unknown("graph", settings, {settings_of_graph, algorithm_settings::two_sided});
    const auto owners = partition_file.find(settings);
    const std::string file = path_of_file(graph.of(settings));
    GraphExchange plan;
    plan.neighbors = read_graph(
        {file, owners ? text_or_file(*owners) : std::string(), unit.of(settings)}, ranks);
    const auto sends_nothing = [](const auto& own) { return own.destinations.empty(); };
    if (!owners && ranks > 1 && std::ranges::all_of(plan.neighbors, sends_nothing))
        throw ConfigError(text(file, ": has no edges; expected lines FROM TO BYTES"));
    plan.repeat = shared::repeat.of(settings);
    const auto choice = read_neighbor(settings, ranks, average_message(plan.neighbors));
    plan.algorithm = choice.algorithm;
    plan.options = choice.options;
    return plan;
}

}  // namespace

extern const ProgramEntry graph_entry;
constinit const ProgramEntry graph_entry = pattern_entry<read, start, uses>(
    "graph", "repeated messages to the neighbours in a graph of ranks from a file",
    settings_of_graph, "neighbor");

}  // namespace tradewind::skeleton

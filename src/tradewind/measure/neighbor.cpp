/// Neighbor: messages of one size along a graph of ranks, by every algorithm and by the collectives
/// of the MPI library.
///
/// The graph is a periodic grid of ranks, or a list of edges. If the library renumbers the ranks,
/// each rank exchanges the messages of its new number; the gain lies in the shorter paths of the
/// messages. The set-up of windows and graph communicators is not measured.
#include <algorithm>

#include "tradewind/comm/catalogue.hpp"
#include "tradewind/measure/measurement.hpp"
#include "tradewind/measure/timing.hpp"

namespace tradewind::measure {

namespace {

/// A function that returns the graph with messages of a given size.
using SizedGraph = std::function<NeighborGraph(Bytes bytes)>;

/// The word for all algorithms.
constexpr std::string_view all = "all";

struct NeighborPlan {
    SizedGraph graph;
    std::string algorithm;
    std::vector<Bytes> sizes;
    Repetitions repetitions;
    bool payload = true;
    std::vector<Native> natives;

    [[nodiscard]] bool asks_for(std::string_view name) const {
        return algorithm == all || algorithm == name;
    }
};

/// The buffers of one rank for the largest messages.
class Buffers {
public:
    Buffers(const Neighborhood& largest, bool payload)
        : send_(extent(largest.destinations), payload),
          receive_(extent(largest.sources), payload) {}
    [[nodiscard]] NeighborExchange data(const Neighborhood& neighbors) {
        return {send_.first(extent(neighbors.destinations)),
                receive_.first(extent(neighbors.sources)), &neighbors};
    }

private:
    Memory send_;
    Memory receive_;
};

Task measure_algorithms(Comm& comm, const NeighborPlan& plan, Bytes bytes, Buffers& buffers,
                        Rows* rows) {
    const Neighborhood neighbors = plan.graph(bytes)(comm.rank());
    std::vector<double> seconds;
    for (const NeighborAlgorithm& algorithm : neighbor_algorithms()) {
        if (!plan.asks_for(algorithm.name)) continue;
        NeighborExchange data = buffers.data(neighbors);
        std::unique_ptr<NeighborConnection> connection;
        if (algorithm.prepare != nullptr) {
            connection = algorithm.prepare(comm, data);
            co_await connection->connect(comm);
        }
        data.connection = connection.get();
        const Program body = [&](Comm& on) { return algorithm.run(on, data, {}); };
        co_await time_collectively(comm, body, plan.repetitions, true, seconds);
        if (rows != nullptr) rows->push_back({std::string(algorithm.name), bytes, seconds});
    }
}

Task measure_native(Comm& comm, const NeighborPlan& plan, const Native& native, Rows* rows) {
    const NeighborGraph largest = plan.graph(*std::ranges::max_element(plan.sizes));
    const ConnectedNative connected = native.connect(comm, largest);
    Buffers buffers(largest(connected.vertex), plan.payload);
    std::vector<double> seconds;
    for (const Bytes bytes : plan.sizes) {
        const Neighborhood neighbors = plan.graph(bytes)(connected.vertex);
        const NeighborExchange data = buffers.data(neighbors);
        const Program body = [&](Comm& on) { return connected.run(on, data); };
        co_await time_collectively(comm, body, plan.repetitions, true, seconds);
        if (rows != nullptr) rows->push_back({native.name, bytes, seconds});
    }
}

Task run(Comm& comm, const NeighborPlan& plan, Rows* rows) {
    const Bytes largest = *std::ranges::max_element(plan.sizes);
    Buffers buffers(plan.graph(largest)(comm.rank()), plan.payload);
    for (const Bytes bytes : plan.sizes) {
        co_await measure_algorithms(comm, plan, bytes, buffers, rows);
    }
    for (const Native& native : plan.natives) {
        co_await measure_native(comm, plan, native, rows);
    }
}

constexpr auto processes = declare::whole_list(
    "processes", "columns and rows of the ranks; default: the squarest grid", 2);
constexpr auto neighbors =
    declare::whole("neighbors", "neighbours of a rank in the grid, 4 or 8", 4).within(4, 8);
constexpr auto edges_of_graph =
    declare::whole_list("edges", "source, destination, source, destination, ...; none: the grid", 0,
                        largest_count)
        .within(0, double(largest_count));
constexpr auto algorithm =
    declare::word("algorithm", "algorithm, exchange of the MPI library, or \"all\"", all);
constexpr const Declaration* own_settings[] = {&processes, &neighbors, &edges_of_graph, &algorithm};
constexpr auto settings_of_neighbor = joined(own_settings, given::usual);

[[nodiscard]] SizedGraph read_edges(const Settings& settings, Rank ranks) {
    const std::vector<std::int64_t> list = edges_of_graph.of(settings);
    if (settings.has(processes.name()) || settings.has(neighbors.name()))
        throw ConfigError("neighbor: edges is given, so processes and neighbors cannot be");
    const bool in_range = std::ranges::all_of(list, [&](Rank r) { return r >= 0 && r < ranks; });
    if (list.size() % 2 != 0 || !in_range) {
        throw ConfigError(text("neighbor: edges must be pairs of ranks in 0..", ranks - 1,
                               ": source, destination, source, destination, ..."));
    }
    std::vector<Edge> edges;
    for (std::size_t i = 0; i < list.size(); i += 2) edges.push_back({list[i], list[i + 1]});
    return [edges](Bytes bytes) { return edge_graph(edges, bytes); };
}

[[nodiscard]] SizedGraph read_grid(const Settings& settings, Rank ranks) {
    Rank rows = 1;
    for (Rank divisor = 1; divisor * divisor <= ranks; ++divisor) {
        if (ranks % divisor == 0) rows = divisor;
    }
    const auto grid = processes.of(settings, {ranks / rows, rows});
    if (grid[0] * grid[1] != ranks) {
        throw ConfigError(text("neighbor: processes must be columns and rows of the ", ranks,
                               " ranks, such as [", ranks / rows, ",", rows, "]"));
    }
    const std::int64_t count = neighbors.of(settings);
    if (count != 4 && count != 8)
        throw ConfigError(text("neighbors = ", count, ": expected 4 or 8"));
    return [=](Bytes bytes) { return grid_graph(grid[0], grid[1], count == 8, bytes); };
}

/// Returns the library's neighbourhood exchanges that the settings select.
[[nodiscard]] std::vector<Native> read_natives(const NeighborPlan& plan,
                                               std::span<const Native> natives) {
    std::vector<Native> chosen;
    for (const Native& native : natives) {
        if (native.connect && plan.asks_for(native.name)) chosen.push_back(native);
    }
    if (plan.algorithm != all && chosen.empty())
        (void)find_algorithm(neighbor_algorithms(), neighbor_operation.name, plan.algorithm);
    return chosen;
}

Program make_neighbor(const Settings& settings, Rank ranks, const Platform& platform, Rows& rows) {
    NeighborPlan plan{settings.has(edges_of_graph.name()) ? read_edges(settings, ranks)
                                                          : read_grid(settings, ranks),
                      algorithm.of(settings),
                      read_sizes(settings),
                      read_repetitions(settings),
                      given::payload.of(settings),
                      {}};
    plan.natives = read_natives(plan, platform.natives);
    return
        [plan, &rows](Comm& comm) { return run(comm, plan, comm.rank() == 0 ? &rows : nullptr); };
}

}  // namespace

extern const MeasurementEntry neighbor_entry;
constinit const MeasurementEntry neighbor_entry = {
    .name = "neighbor",
    .summary = "messages along a graph of ranks, beside those of the MPI library",
    .settings = settings_of_neighbor,
    .prepare = make_neighbor,
};

}  // namespace tradewind::measure

/// The operations, algorithms and tuned cases for a search for the best algorithm, as Python
/// objects.
#include "operations.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <iterator>

#include "programs.hpp"
#include "schema.hpp"
#include "settings.hpp"
#include "tradewind/comm/tuning/operations.hpp"
#include "tradewind/comm/tuning/tuning.hpp"
#include "tradewind/skeleton/graph_file.hpp"

namespace nb = nanobind;

namespace tradewind::bindings {

nb::list operations(const nb::dict& spec) {
    nb::list result;
    for (const OperationUse& use : GivenProgram(sections_from(spec)).operations()) {
        nb::dict entry;
        entry["operation"] = use.operation;
        entry["ranks"] = use.ranks;
        entry["bytes"] = use.bytes;
        entry["stage"] = use.stage;
        entry["count"] = use.count;
        entry["key"] = use.key;
        entry["phase"] = use.phase;
        result.append(entry);
    }
    return result;
}

nb::object process_grid(const std::optional<ProcessGrid>& grid) {
    if (!grid) return nb::none();
    nb::list result;
    result.append(grid->cx);
    result.append(grid->cy);
    return result;
}

nb::object processes(const nb::dict& spec) {
    return process_grid(GivenProgram(sections_from(spec)).processes());
}

nb::list phases(const nb::dict& spec) {
    nb::list result;
    for (const PhaseOutline& phase : GivenProgram(sections_from(spec)).phases()) {
        nb::dict entry;
        entry["name"] = phase.name;
        entry["ranks"] = phase.ranks;
        entry["processes"] = process_grid(phase.entry->processes(phase.settings, phase.ranks));
        result.append(entry);
    }
    return result;
}

nb::object item_graph(const nb::dict& spec) {
    const auto found = GivenProgram(sections_from(spec)).item_graph();
    if (!found) return nb::none();
    nb::dict graph;
    graph["first"] = nb::cast(found->first);
    graph["neighbors"] = nb::cast(found->neighbors);
    graph["weights"] = nb::cast(found->weights);
    graph["owners"] = nb::cast(found->owners);
    return graph;
}

namespace {

/// The edges of a graph of ranks.
struct EdgeColumns {
    std::vector<Rank> from;
    std::vector<Rank> to;
    std::vector<std::int64_t> weights;

    void add(Rank source, Rank destination, std::int64_t weight) {
        from.push_back(source);
        to.push_back(destination);
        weights.push_back(weight);
    }
    [[nodiscard]] nb::dict as_dictionary() const {
        nb::dict edges;
        edges["from"] = nb::cast(from);
        edges["to"] = nb::cast(to);
        edges["weight"] = nb::cast(weights);
        return edges;
    }
};

}  // namespace

nb::dict rank_edges(const std::string& graph, const std::string& partition, Rank ranks) {
    const auto neighbors =
        without_gil([&] { return skeleton::read_graph({graph, partition, 1}, ranks); });
    EdgeColumns edges;
    for (Rank rank = 0; rank < ranks; ++rank) {
        for (const Neighbor& one : neighbors[std::size_t(rank)].destinations)
            edges.add(rank, one.rank, one.size);
    }
    return edges.as_dictionary();
}

nb::object halo_edges(const nb::dict& spec) {
    const auto found = GivenProgram(sections_from(spec)).halo_edges();
    if (!found) return nb::none();
    EdgeColumns edges;
    for (const HaloEdge& edge : *found) edges.add(edge.from, edge.to, edge.items);
    return edges.as_dictionary();
}

std::vector<std::string> tuning_remarks(const nb::dict& spec) {
    return GivenProgram(sections_from(spec)).remarks();
}

nb::list algorithms() {
    std::vector<Way> ways = model_ways();
    for (const OperationEntry& entry : operation_entries())
        if (entry.is_chosen) std::ranges::copy(entry.ways(), std::back_inserter(ways));
    nb::list result;
    for (const Way& way : ways) {
        nb::dict entry;
        entry["operation"] = way.operation;
        entry["name"] = way.name;
        entry["options"] = list_of(way.options);
        entry["same_as"] = way.same_as;
        entry["is_default"] = way.is_default;
        result.append(entry);
    }
    return result;
}

nb::dict tuned_case(const std::string& table, const std::string& operation, std::int64_t ranks,
                    std::int64_t bytes) {
    const Tuning tuning = Tuning::parse(table);
    const TunedCase& found = tuning.pick(operation, ranks, bytes);
    nb::dict entry;
    entry["ranks"] = found.ranks;
    entry["from"] = found.from;
    entry["to"] = found.to;
    entry["algorithm"] = found.algorithm;
    entry["choice"] = found.choice;
    return entry;
}

}  // namespace tradewind::bindings

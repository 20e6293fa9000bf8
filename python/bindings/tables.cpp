/// The reading of every table of the library.
#include "tables.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include "programs.hpp"
#include "schema.hpp"
#include "tradewind/base/errors.hpp"
#include "tradewind/comm/allgather/allgather.hpp"
#include "tradewind/comm/allreduce/allreduce.hpp"
#include "tradewind/comm/alltoallv/alltoallv.hpp"
#include "tradewind/comm/barrier/barrier.hpp"
#include "tradewind/comm/bcast/bcast.hpp"
#include "tradewind/comm/neighbor/neighbor.hpp"
#include "tradewind/comm/protocol/protocol.hpp"
#include "tradewind/sim/routing/catalogue.hpp"
#include "tradewind/sim/topology/catalogue.hpp"
#include "tradewind/simcomm/machine_settings.hpp"

namespace nb = nanobind;

namespace tradewind::bindings {

namespace {

template <class Entry>
nb::list names_and_summaries(std::span<const Entry> table) {
    nb::list result;
    for (const Entry& entry : table) result.append(nb::make_tuple(entry.name, entry.summary));
    return result;
}

template <class Entry>
nb::list names_and_summaries_of(std::span<const Entry* const> table) {
    nb::list result;
    for (const Entry* const entry : table)
        result.append(nb::make_tuple(entry->name, entry->summary));
    return result;
}

/// Returns the protocols, with the name in words before the summary: "simple: buffered send,
/// receive".
nb::list protocol_list() {
    nb::list result;
    for (const ProtocolEntry& entry : protocols()) {
        result.append(nb::make_tuple(entry.name, text(entry.words, ": ", entry.summary)));
    }
    return result;
}

}  // namespace

nb::dict catalogue() {
    nb::dict result;
    result["topologies"] = names_and_summaries_of(sim::topologies());
    result["routings"] = names_and_summaries_of(sim::routings());
    result["alltoallv"] = names_and_summaries(alltoallv_algorithms());
    result["allreduce"] = names_and_summaries(allreduce_algorithms());
    result["allgather"] = names_and_summaries(allgather_algorithms());
    result["bcast"] = names_and_summaries(bcast_algorithms());
    result["barrier"] = names_and_summaries(barrier_algorithms());
    result["neighbor"] = names_and_summaries(neighbor_algorithms());
    result["protocols"] = protocol_list();
    result["programs"] = names_and_summaries_of(tradewind::programs());
    nb::list models;
    for (const ProgramEntry* const entry : tradewind::programs()) {
        if (entry->plan != nullptr) models.append(nb::make_tuple(entry->name, entry->summary));
    }
    result["models"] = models;
    return result;
}

nb::list list_topologies() {
    nb::list result;
    for (const sim::TopologyEntry* const entry : sim::topologies()) {
        nb::dict one;
        one["name"] = entry->name;
        one["summary"] = entry->summary;
        one["settings"] = list_of(entry->settings);
        nb::list rules;
        for (const auto rule : sim::routings_of(entry->name, entry->default_routing))
            rules.append(rule);
        one["routings"] = nb::tuple(rules);
        nb::list classes;
        for (const auto name : entry->link_classes) classes.append(name);
        one["link_classes"] = nb::tuple(classes);
        result.append(one);
    }
    return result;
}

nb::list list_routings() {
    nb::list result;
    for (const sim::RoutingEntry* const entry : sim::routings()) {
        nb::dict one;
        one["name"] = entry->name;
        one["settings"] = list_of(entry->settings);
        result.append(one);
    }
    return result;
}

nb::dict list_machine_settings() {
    nb::dict result;
    for (const simcomm::SectionEntry& section : simcomm::machine_sections())
        result[nb::str(section.name.data(), section.name.size())] = list_of(section.settings);
    return result;
}

}  // namespace tradewind::bindings

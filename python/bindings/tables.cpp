/// The reading of every table of the library.
#include "tables.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include "programs.hpp"
#include "schema.hpp"
#include "tradewind/base/errors.hpp"
#include "tradewind/comm/protocol/protocol.hpp"
#include "tradewind/comm/tuning/operations.hpp"
#include "tradewind/measure/measurement.hpp"
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

nb::str key_of(std::string_view name) {
    return nb::str(name.data(), name.size());
}

}  // namespace

nb::dict catalogue() {
    nb::dict result;
    result["topologies"] = names_and_summaries_of(sim::topologies());
    result["routings"] = names_and_summaries_of(sim::routings());
    for (const OperationEntry& entry : operation_entries()) {
        nb::list all;
        for (const auto& [name, summary] : entry.summaries())
            all.append(nb::make_tuple(name, summary));
        result[key_of(entry.operation.name)] = all;
    }
    result["measurements"] = names_and_summaries(measure::measurements());
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

nb::list list_collectives() {
    nb::list result;
    for (const OperationEntry& entry : operation_entries()) {
        nb::dict one;
        one["name"] = entry.operation.name;
        one["default"] = entry.operation.default_algorithm;
        one["is_chosen"] = entry.is_chosen;
        result.append(one);
    }
    return result;
}

nb::dict list_measurements() {
    nb::dict result;
    for (const measure::MeasurementEntry& entry : measure::measurements())
        result[key_of(entry.name)] = list_of(entry.settings);
    return result;
}

nb::dict list_machine_settings() {
    nb::dict result;
    for (const simcomm::SectionEntry& section : simcomm::machine_sections())
        result[key_of(section.name)] = list_of(section.settings);
    return result;
}

}  // namespace tradewind::bindings

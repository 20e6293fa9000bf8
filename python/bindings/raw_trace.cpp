#include "raw_trace.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "interrupts.hpp"
#include "trace.hpp"
#include "tradewind/trace/raw.hpp"

namespace nb = nanobind;

namespace tradewind::bindings {

namespace {

constexpr const char* status_names[] = {"",        "recording", "finished",
                                        "aborted", "disk_full", "cannot_write"};

/// Module, offset and function of a call site.
using Site = std::tuple<std::string, std::int64_t, std::string>;

[[nodiscard]] std::vector<Site> sites(const std::string& folder) {
    std::vector<Site> result;
    for (const trace::RawSite& site : trace::raw_sites(folder))
        result.emplace_back(site.place.first, site.place.second, site.function);
    return result;
}

[[nodiscard]] nb::dict rank_facts(const trace::RawRank& rank) {
    nb::dict facts;
    facts["rank"] = rank.rank;
    facts["status"] = status_names[std::size_t(rank.status)];
    facts["is_cut"] = rank.is_cut;
    facts["calls"] = rank.events;
    facts["written"] = rank.written;
    facts["messages"] = rank.messages;
    facts["bytes"] = rank.bytes;
    facts["inside_ps"] = rank.inside;
    facts["computed_ps"] = rank.computed;
    facts["thread_level"] = rank.thread_level;
    facts["failed_tests"] = rank.failed_tests;
    facts["foreign"] = rank.foreign;
    facts["other_threads"] = rank.other_threads;
    facts["processor_ps"] = rank.variation.processor;
    facts["deviation_ps"] = rank.variation.deviation;
    facts["varying_event"] = rank.variation.event;
    facts["varying_mean_ps"] = rank.variation.mean;
    facts["varying_deviation_ps"] = rank.variation.deviation_per_turn;
    facts["functions"] = rank.functions;
    facts["named_only"] = rank.named_only;
    facts["facts"] = rank.facts;
    return facts;
}

/// @param sites module, offset and name of each call site
[[nodiscard]] nb::tuple read(const std::string& folder, const std::vector<Site>& sites) {
    std::map<trace::ModuleOffset, std::string> names;
    for (const auto& [module, offset, name] : sites) names[{module, offset}] = name;
    trace::RawRecording recording = without_gil([&] { return trace::read_raw(folder, names); });
    nb::list ranks;
    for (const trace::RawRank& rank : recording.recorded) ranks.append(rank_facts(rank));
    return nb::make_tuple(arrays_of(std::move(recording.trace)), ranks);
}

}  // namespace

void add_raw_trace(nb::module_& module) {
    module.def("raw_sites", &sites, nb::arg("folder"),
               "Returns module, offset and function of each call site in a recording.");
    module.def("read_raw", &read, nb::arg("folder"), nb::arg("sites"),
               "Returns the arrays of a trace, and what is known of each recorded rank.");
}

}  // namespace tradewind::bindings

/// What a search for the best algorithm has to know.
#include "operations.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "programs.hpp"
#include "settings.hpp"
#include "tradewind/comm/tuning/tuning.hpp"

namespace nb = nanobind;

namespace tradewind::bindings {

namespace {

template <class Algorithm>
void append_algorithms(nb::list& result, const char* operation, std::span<const Algorithm> table) {
    for (const Algorithm& algorithm : table) {
        const auto first = std::ranges::find(table, algorithm.run, &Algorithm::run);
        nb::dict entry;
        entry["operation"] = operation;
        entry["name"] = algorithm.name;
        entry["smallest_radix"] = algorithm.smallest_radix;
        entry["default_radix"] = algorithm.default_radix;
        entry["has_protocols"] = algorithm.has_protocols;
        entry["same_as"] = first->name;
        result.append(entry);
    }
}

}  // namespace

nb::list operations(const nb::dict& spec) {
    const simcomm::Sections sections = sections_from(spec);
    const Settings& section = sections.at("program");
    nb::list result;
    for (const skeleton::OperationUse& use :
         operations_of(section.need<std::string>("name"), program_settings(section),
                       section.need<std::int64_t>("ranks"))) {
        nb::dict entry;
        entry["operation"] = use.operation;
        entry["ranks"] = use.ranks;
        entry["bytes"] = use.bytes;
        entry["stage"] = use.stage;
        entry["count"] = use.count;
        result.append(entry);
    }
    return result;
}

nb::object processes(const nb::dict& spec) {
    const simcomm::Sections sections = sections_from(spec);
    const Settings& section = sections.at("program");
    const auto found = processes_of(section.need<std::string>("name"), program_settings(section),
                                    section.need<std::int64_t>("ranks"));
    if (!found) return nb::none();
    nb::list result;
    result.append(found->cx);
    result.append(found->cy);
    return result;
}

std::vector<std::string> tuning_remarks(const nb::dict& spec) {
    const simcomm::Sections sections = sections_from(spec);
    const Settings& section = sections.at("program");
    const auto name = section.need<std::string>("name");
    // Models choose their algorithms by keys of their own.
    if (section.get<std::string>("algorithm", "") != "tuned") return {};
    return skeleton::tuning_remarks(name, program_settings(section),
                                    section.need<std::int64_t>("ranks"));
}

nb::list algorithms() {
    nb::list result;
    append_algorithms(result, "alltoallv", alltoallv_algorithms());
    append_algorithms(result, "allreduce", allreduce_algorithms());
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
    return entry;
}

}  // namespace tradewind::bindings

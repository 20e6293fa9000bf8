/// Programs as dictionaries.
#include "programs.hpp"

#include <nanobind/stl/string_view.h>

#include "schema.hpp"
#include "tradewind/comm/tuning/read_algorithm.hpp"

namespace nb = nanobind;

namespace tradewind::bindings {

GivenProgram::GivenProgram(const simcomm::Sections& sections)
    : entry_(&find_program(sections.at("program").need<std::string>("name"))),
      ranks_(sections.at("program").need<std::int64_t>("ranks")),
      settings_(sections.at("program").without({"name", "ranks"})) {}

nb::list list_programs() {
    nb::list result;
    for (const ProgramEntry* const entry : programs()) {
        nb::dict one;
        one["name"] = entry->name;
        one["summary"] = entry->summary;
        one["operation"] = entry->operation;
        one["is_model"] = entry->plan != nullptr;
        one["can_restart"] = entry->can_restart;
        one["is_timed_with_data"] = entry->is_timed_with_data;
        one["has_items"] = entry->item_graph != nullptr;
        one["has_halo"] = entry->halo_edges != nullptr;
        one["tuned_setting"] = entry->tuned_setting;
        one["settings"] = list_of(entry->settings);
        one["message_settings"] = list_of(entry->message_settings);
        one["run_settings"] = list_of(entry->run_settings);
        nb::list kinds;
        for (const ProgramEntry* const kind : entry->kinds) kinds.append(kind->name);
        one["kinds"] = kinds;
        one["phase_settings"] = list_of(entry->phase_settings);
        result.append(one);
    }
    return result;
}

nb::list list_algorithm_settings() {
    return list_of(algorithm_settings::any_transport);
}

}  // namespace tradewind::bindings

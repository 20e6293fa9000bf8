/// Programs and declarations as dictionaries.
#include "programs.hpp"

#include <nanobind/stl/string_view.h>

#include "tradewind/comm/tuning/read_algorithm.hpp"

namespace nb = nanobind;

namespace tradewind::bindings {

namespace {

/// Returns the section without the keys that every program has.
Settings own_settings(const Settings& section) {
    auto values = section.values();
    values.erase("name");
    values.erase("ranks");
    return Settings(std::move(values));
}

constexpr std::string_view type_name(SettingType type) {
    switch (type) {
        case SettingType::truth:
            return "truth";
        case SettingType::whole:
            return "whole";
        case SettingType::real:
            return "real";
        case SettingType::word:
            return "word";
        case SettingType::whole_list:
            return "whole_list";
        case SettingType::size:
            return "size";
        case SettingType::duration:
            return "duration";
        case SettingType::rate:
            return "rate";
        case SettingType::flop_rate:
            return "flop_rate";
        case SettingType::time_per_byte:
            return "time_per_byte";
    }
    return "";
}

nb::object python(std::monostate /*none*/) {
    return nb::none();
}
nb::object python(const auto& value) {
    return nb::cast(value);
}

nb::dict dictionary(const Declaration& declared) {
    nb::dict result;
    result["key"] = declared.key;
    result["type"] = type_name(declared.type);
    result["meaning"] = declared.meaning;
    result["default"] =
        std::visit([](const auto& value) { return python(value); }, declared.otherwise);
    result["low"] = declared.low;
    result["high"] = declared.high;
    result["required"] = declared.is_required;
    nb::list choices;
    for (const std::string_view word : declared.choices)
        if (!word.empty()) choices.append(word);
    result["choices"] = nb::tuple(choices);
    result["length"] = nb::make_tuple(declared.length[0], declared.length[1]);
    return result;
}

nb::list list_of(Schema schema) {
    nb::list result;
    for (const Declaration* const declared : schema) result.append(dictionary(*declared));
    return result;
}

}  // namespace

GivenProgram::GivenProgram(const simcomm::Sections& sections)
    : entry_(&find_program(sections.at("program").need<std::string>("name"))),
      ranks_(sections.at("program").need<std::int64_t>("ranks")),
      settings_(own_settings(sections.at("program"))) {}

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
        one["tuned_setting"] = entry->tuned_setting;
        one["settings"] = list_of(entry->settings);
        one["message_settings"] = list_of(entry->message_settings);
        one["run_settings"] = list_of(entry->run_settings);
        result.append(one);
    }
    return result;
}

nb::list list_algorithm_settings() {
    return list_of(algorithm_settings::any_transport);
}

}  // namespace tradewind::bindings

/// Declarations of settings as dictionaries.
#include "schema.hpp"

#include <nanobind/stl/string_view.h>

namespace nb = nanobind;

namespace tradewind::bindings {

namespace {

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
        case SettingType::file:
            return "file";
    }
    return "";
}

/// Returns the default, or None.
nb::object default_of(const DefaultValue& value) {
    if (const auto* const truth = value.get_if<bool>()) return nb::cast(*truth);
    if (const auto* const whole = value.get_if<std::int64_t>()) return nb::cast(*whole);
    if (const auto* const real = value.get_if<double>()) return nb::cast(*real);
    if (const auto* const word = value.get_if<std::string_view>()) return nb::cast(*word);
    return nb::none();
}

nb::dict dictionary(const Declaration& declared) {
    nb::dict result;
    result["key"] = declared.key;
    result["type"] = type_name(declared.type);
    result["meaning"] = declared.meaning;
    result["default"] = default_of(declared.otherwise);
    result["low"] = declared.low;
    result["high"] = declared.high;
    result["required"] = declared.is_required;
    nb::list choices;
    for (const std::string_view word : declared.choices)
        if (!word.empty()) choices.append(word);
    result["choices"] = nb::tuple(choices);
    result["length"] = nb::make_tuple(declared.length[0], declared.length[1]);
    result["word_for_zero"] = declared.word_for_zero;
    result["acts"] = declared.acts;
    return result;
}

}  // namespace

nb::list list_of(const std::vector<Declaration>& declared) {
    nb::list result;
    for (const Declaration& one : declared) result.append(dictionary(one));
    return result;
}

nb::list list_of(Schema schema) {
    nb::list result;
    for (const Declaration* const declared : schema) result.append(dictionary(*declared));
    return result;
}

}  // namespace tradewind::bindings

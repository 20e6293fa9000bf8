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
    result["word_for_zero"] = declared.word_for_zero;
    return result;
}

}  // namespace

nb::list list_of(Schema schema) {
    nb::list result;
    for (const Declaration* const declared : schema) result.append(dictionary(*declared));
    return result;
}

}  // namespace tradewind::bindings

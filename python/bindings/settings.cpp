/// The conversion of Python objects to values of settings.
#include "settings.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace tradewind::bindings {

namespace {

Settings::Value value_from(const std::string& key, nb::handle value) {
    if (nb::isinstance<nb::bool_>(value)) return nb::cast<bool>(value);
    if (nb::isinstance<nb::int_>(value)) return nb::cast<std::int64_t>(value);
    if (nb::isinstance<nb::float_>(value)) return nb::cast<double>(value);
    if (nb::isinstance<nb::str>(value)) return nb::cast<std::string>(value);
    if (nb::isinstance<nb::list>(value)) return nb::cast<std::vector<std::int64_t>>(value);
    throw ConfigError(
        text("setting \"", key, "\": a value is bool, int, float, str or list of int"));
}

}  // namespace

simcomm::Sections sections_from(const nb::dict& spec) {
    simcomm::Sections sections;
    for (const auto& [name, table] : spec) {
        const auto section = nb::cast<std::string>(name);
        Settings settings;
        for (const auto& [key, value] : nb::cast<nb::dict>(table)) {
            const auto setting = nb::cast<std::string>(key);
            settings.set(setting, value_from(section + "." + setting, value));
        }
        sections[section] = settings;
    }
    return sections;
}

}  // namespace tradewind::bindings

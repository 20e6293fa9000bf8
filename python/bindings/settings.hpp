/// The conversion of Python dictionaries to settings.
#pragma once

#include <nanobind/nanobind.h>

#include "tradewind/simcomm/assemble.hpp"

namespace tradewind::bindings {

/// Converts {section: {key: bool | int | float | str | list[int]}}; throws a ConfigError that names
/// the key if a value is of another type.
[[nodiscard]] simcomm::Sections sections_from(const nanobind::dict& spec);

}  // namespace tradewind::bindings

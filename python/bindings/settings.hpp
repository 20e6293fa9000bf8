/// Conversion of Python dictionaries to settings.
#pragma once

#include <nanobind/nanobind.h>

#include "tradewind/simcomm/assemble.hpp"

namespace tradewind::bindings {

/// {section: {key: bool | int | float | str | list[int]}}; ConfigError names a key whose value is
/// of another type.
[[nodiscard]] simcomm::Sections sections_from(const nanobind::dict& spec);

}  // namespace tradewind::bindings

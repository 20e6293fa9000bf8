/// Declarations of settings as Python objects.
#pragma once

#include <nanobind/nanobind.h>

#include "tradewind/base/setting.hpp"

namespace tradewind::bindings {

/// Returns one dictionary for each declaration: key, type, meaning, default, low, high, required,
/// choices, length, word_for_zero.
[[nodiscard]] nanobind::list list_of(Schema schema);
/// Returns the same of declarations that are kept together.
[[nodiscard]] nanobind::list list_of(const std::vector<Declaration>& declared);

}  // namespace tradewind::bindings

/// Declarations of settings as Python objects.
#pragma once

#include <nanobind/nanobind.h>

#include "tradewind/base/setting.hpp"

namespace tradewind::bindings {

/// Returns one dictionary for each declaration: key, type, meaning, default, low, high, required,
/// choices, length, word_for_zero.
[[nodiscard]] nanobind::list list_of(Schema schema);

}  // namespace tradewind::bindings

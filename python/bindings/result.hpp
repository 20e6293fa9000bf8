/// The conversion of results to Python dictionaries.
#pragma once

#include <nanobind/nanobind.h>

#include "tradewind/simcomm/assemble.hpp"

namespace tradewind::bindings {

/// Returns the dictionary that `simulate` returns; docs/reference lists its keys.
[[nodiscard]] nanobind::dict dictionary_from(const simcomm::Outcome& outcome, Rank ranks);

}  // namespace tradewind::bindings

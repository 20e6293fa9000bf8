/// The raw files of the recorder for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace tradewind::bindings {

/// Adds the functions that read recordings to the module.
void add_raw_trace(nanobind::module_& module);

}  // namespace tradewind::bindings

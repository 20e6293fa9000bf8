/// The tables of the library as Python objects.
#pragma once

#include <nanobind/nanobind.h>

namespace tradewind::bindings {

/// Returns {table: [(name, summary), ...]}.
[[nodiscard]] nanobind::dict catalogue();
/// Returns every topology as a dictionary: name, summary, settings, routings (its default first),
/// link_classes.
[[nodiscard]] nanobind::list list_topologies();
/// Returns every routing rule as a dictionary: name, settings.
[[nodiscard]] nanobind::list list_routings();
/// Returns every operation as a dictionary: name, default algorithm, and whether experiments choose
/// its algorithm (is_chosen).
[[nodiscard]] nanobind::list list_collectives();
/// Returns the declarations of the settings of each measurement.
[[nodiscard]] nanobind::dict list_measurements();
/// Returns the declarations of each section whose settings do not depend on the topology.
[[nodiscard]] nanobind::dict list_machine_settings();

}  // namespace tradewind::bindings

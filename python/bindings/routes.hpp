/// The links of a network and the routes over them, for other simulators.
#pragma once

#include <nanobind/nanobind.h>

namespace tradewind::bindings {

/// Returns every route between the first `nodes` nodes of an experiment's machine, as a dictionary.
/// `links` is a list of (from switch, to switch, class of link). `routes` has, for every pair
/// (from, to) in order, the list of indices into `links`. Throws ConfigError if the routing rule
/// allows more than one route.
[[nodiscard]] nanobind::dict routes(const nanobind::dict& spec, std::int64_t nodes);

}  // namespace tradewind::bindings

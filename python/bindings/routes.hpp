/// The links of a network and the routes over them, for other programs that simulate it.
#pragma once

#include <nanobind/nanobind.h>

namespace tradewind::bindings {

/// Every route between the first `nodes` nodes of an experiment's machine; ConfigError where its
/// rule has a choice. A dictionary: `links`, a list of (from switch, to switch, kind of link), and
/// `routes`, for every pair (from, to) in order the list of indices into `links`.
[[nodiscard]] nanobind::dict routes(const nanobind::dict& spec, std::int64_t nodes);

}  // namespace tradewind::bindings

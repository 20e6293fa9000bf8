/// Rows of a measurement as JSON text.
#pragma once

#include <string>

#include "tradewind/measure/measurement.hpp"

namespace tradewind::measure {

/// Returns [{"name": ..., "bytes": ..., "seconds": [...], "values": {...}}, ...].
[[nodiscard]] std::string json(const Rows& rows);

}  // namespace tradewind::measure

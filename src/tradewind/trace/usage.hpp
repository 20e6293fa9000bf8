/// The collective operations of a trace whose algorithm one can choose.
#pragma once

#include <vector>

#include "tradewind/comm/tuning/use.hpp"
#include "tradewind/trace/trace.hpp"

namespace tradewind::trace {

/// Returns one entry for each operation that occurs: the ranks that most of its calls are made by,
/// the mean bytes of a vector, block or message, and the most calls of any rank.
[[nodiscard]] std::vector<OperationUse> operations_of(const TraceView& trace);

}  // namespace tradewind::trace

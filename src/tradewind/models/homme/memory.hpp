/// The memory of a run with data.
#pragma once

#include "tradewind/models/homme/plan.hpp"
#include "tradewind/program/run_memory.hpp"

namespace tradewind::homme {

[[nodiscard]] RunMemory memory_of(const HommePlan& plan);

}  // namespace tradewind::homme

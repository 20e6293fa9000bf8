/// Memory of a solve, foretold.
#pragma once

#include "tradewind/models/helmholtz/plan.hpp"
#include "tradewind/program/run_memory.hpp"

namespace tradewind::helmholtz {

/// What `solve` allocates on all ranks of a draft.
[[nodiscard]] RunMemory memory_of(const Plan& plan);

}  // namespace tradewind::helmholtz

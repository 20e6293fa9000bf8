/// Memory of a solve, foretold.
#pragma once

#include "tradewind/models/helmholtz/plan.hpp"
#include "tradewind/models/memory.hpp"

namespace tradewind::helmholtz {

/// What `solve` allocates on all ranks of an outline.
[[nodiscard]] models::RunMemory memory_of(const Plan& plan);

}  // namespace tradewind::helmholtz

/// Memory of a solve, predicted from its plan.
#pragma once

#include "tradewind/models/helmholtz/plan.hpp"
#include "tradewind/program/run_memory.hpp"

namespace tradewind::helmholtz {

/// Predicts what `solve` allocates on all ranks of a draft.
[[nodiscard]] RunMemory memory_of(const HelmholtzPlan& plan);

}  // namespace tradewind::helmholtz

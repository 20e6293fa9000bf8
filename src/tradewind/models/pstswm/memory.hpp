/// Memory of a run of the shallow water model, predicted from its plan.
#pragma once

#include "tradewind/models/pstswm/plan.hpp"
#include "tradewind/program/run_memory.hpp"

namespace tradewind::pstswm {

/// Predicts what `run_model` allocates on all ranks of a draft. The results are the snapshots of
/// all output times.
[[nodiscard]] RunMemory memory_of(const ShallowWaterPlan& plan);

}  // namespace tradewind::pstswm

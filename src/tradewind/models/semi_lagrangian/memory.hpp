/// Memory of an advection run, predicted from its plan.
#pragma once

#include "tradewind/models/semi_lagrangian/plan.hpp"
#include "tradewind/program/run_memory.hpp"

namespace tradewind::semi_lagrangian {

/// Predicts what `run_model` allocates on all ranks of a draft. It assumes the wide halo, which
/// needs more than the exchange on demand.
[[nodiscard]] RunMemory memory_of(const AdvectionPlan& plan);

}  // namespace tradewind::semi_lagrangian

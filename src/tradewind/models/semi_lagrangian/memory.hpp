/// Memory of an advection, foretold.
#pragma once

#include "tradewind/models/memory.hpp"
#include "tradewind/models/semi_lagrangian/plan.hpp"

namespace tradewind::semi_lagrangian {

/// What `run_model` allocates on all ranks of an outline; with the wide halo, which needs more than
/// the exchange on demand.
[[nodiscard]] models::RunMemory memory_of(const Plan& plan);

}  // namespace tradewind::semi_lagrangian

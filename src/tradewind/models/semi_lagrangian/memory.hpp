/// Memory of an advection, foretold.
#pragma once

#include "tradewind/models/semi_lagrangian/plan.hpp"
#include "tradewind/program/run_memory.hpp"

namespace tradewind::semi_lagrangian {

/// What `run_model` allocates on all ranks of a draft; with the wide halo, which needs more than
/// the exchange on demand.
[[nodiscard]] RunMemory memory_of(const Plan& plan);

}  // namespace tradewind::semi_lagrangian

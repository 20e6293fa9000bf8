/// Memory of a run of the shallow water model, foretold.
#pragma once

#include "tradewind/models/memory.hpp"
#include "tradewind/models/pstswm/plan.hpp"

namespace tradewind::pstswm {

/// What `run_model` allocates on all ranks of an outline; the results are the snapshots of all
/// output times.
[[nodiscard]] models::RunMemory memory_of(const Plan& plan);

}  // namespace tradewind::pstswm

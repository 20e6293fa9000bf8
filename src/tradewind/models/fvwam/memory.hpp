/// The memory of a run of the wave model.
#pragma once

#include "tradewind/models/fvwam/plan.hpp"
#include "tradewind/program/run_memory.hpp"

namespace tradewind::fvwam {

/// Estimates the memory of a run of a mesh file, from its dimensions alone.
[[nodiscard]] RunMemory memory_of(const Settings& settings, Rank ranks);

}  // namespace tradewind::fvwam

/// The choice of the mesh exchange, from settings or from a tuning.
#pragma once

#include "tradewind/comm/tuning/use.hpp"
#include "tradewind/models/homme/plan.hpp"

namespace tradewind::homme {

/// Sets the exchange of `plan`, whose mesh, method and overlap are known. Throws ConfigError for
/// choices that are not known or contradict each other.
void read_exchange(const Settings& settings, HommePlan& plan);

/// Returns the mesh exchange, if several ranks share the mesh; its count is that of the steps.
[[nodiscard]] std::vector<OperationUse> operations(const Settings& settings, Rank ranks);

}  // namespace tradewind::homme

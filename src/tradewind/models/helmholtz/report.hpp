/// What a solve has found, in JSON, by the names that those who read results use.
#pragma once

#include <string>

#include "tradewind/models/helmholtz/solve.hpp"

namespace tradewind::helmholtz {

/// An object with processes, iterations, reductions, residuals after each iteration,
/// true_residual, error and rhs_norm.
[[nodiscard]] std::string report(const Plan& plan, const Solution& solution);

}  // namespace tradewind::helmholtz

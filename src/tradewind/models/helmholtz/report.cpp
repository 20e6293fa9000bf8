/// The names of the numbers.
#include "tradewind/models/helmholtz/report.hpp"

#include "tradewind/models/telling.hpp"

namespace tradewind::helmholtz {

std::string report(const Plan& plan, const Solution& solution) {
    const ProcessGrid& processes = plan.reach.grid.processes;
    return models::JsonObject()
        .add("processes", text("[", processes.cx, ", ", processes.cy, "]"))
        .add_value("iterations", solution.iterations)
        .add_value("reductions", solution.reductions)
        .add_value("residuals", std::span<const double>(solution.residuals))
        .add_value("true_residual", solution.true_residual)
        .add_value("error", solution.error)
        .add_value("rhs_norm", solution.rhs_norm)
        .text();
}

}  // namespace tradewind::helmholtz

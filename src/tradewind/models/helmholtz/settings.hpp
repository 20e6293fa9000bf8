/// The settings of the Helmholtz solver besides those of its allreduce.
#pragma once

#include "tradewind/models/column_settings.hpp"
#include "tradewind/models/helmholtz/plan.hpp"

namespace tradewind::helmholtz::given {

using models::grid;
using models::processes;
inline constexpr auto method = declare::one_of<Method>(
    "method", "solver", {{"gcr", Method::gcr}, {"pipelined_gcr", Method::pipelined_gcr}});
inline constexpr auto preconditioner = declare::one_of<Preconditioner>(
    "preconditioner", "preconditioner",
    {{"line", Preconditioner::line}, {"none", Preconditioner::none}});
inline constexpr auto restart =
    declare::whole("restart", "k, earlier directions that a new one is orthogonal to",
                   HelmholtzPlan{}.restart)
        .within(1, 1000);
inline constexpr auto iterations =
    declare::whole(
        "iterations",
        "iterations, with data the most allowed; default: 25 without data, 1000 with data")
        .within(1, models::large);
inline constexpr auto tolerance =
    declare::real("tolerance", "residual relative to the right-hand side", 1e-8).within(1e-15, 1.0);
inline constexpr auto slices =
    declare::whole("slices", "parts of the computation between looks after a pipelined reduction",
                   4)
        .within(1, models::large);

inline constexpr const Declaration* always[] = {&grid,    &processes,  &method,    &preconditioner,
                                                &restart, &iterations, &tolerance, &slices};

}  // namespace tradewind::helmholtz::given

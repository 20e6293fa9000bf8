/// The advection of tracers by the semi-Lagrangian method, on any Comm.
///
/// A step has four parts. It finds the departure points of all own grid points. An allreduce of one
/// double finds the largest displacement of all ranks, which must lie within the halo. An exchange
/// brings the columns around the departure points, from a halo of the fastest wind's width or on
/// demand. Interpolation follows. Both exchanges and all numbers of ranks give the same bits.
/// Sources: zheng2018, section 3.2; the exchange on demand follows IFS.
#pragma once

#include <functional>

#include "tradewind/comm/program.hpp"
#include "tradewind/models/error_norms.hpp"
#include "tradewind/models/semi_lagrangian/interpolation.hpp"
#include "tradewind/program/checkpoint.hpp"

namespace tradewind::semi_lagrangian {

/// The result of a run; complete on rank 0.
struct Result {
    /// The first tracer at the end, [latitude from the south][longitude][level].
    std::vector<double> tracer;
    /// True if the exact solution is known at the end.
    bool has_norms = false;
    models::ErrorNorms norms;
    /// Mean over the sphere and all levels, before and after.
    double initial_mean = 0.0;
    double mean = 0.0;
    double lowest = 0.0;
    double highest = 0.0;
    /// The largest displacement per step, as a wind in m/s and in rows of the grid.
    double fastest_wind = 0.0;
    double courant = 0.0;
    /// The columns of the halos over all ranks and steps, and those that were sent.
    std::int64_t halo_columns = 0;
    std::int64_t sent_columns = 0;
    ColumnTraffic traffic;
};

/// A function that rank 0 calls with the number of completed steps; it may throw to end the run.
using Progress = std::function<void(std::int64_t steps)>;

/// Runs with data. Throws Error on all ranks if the air comes from beyond the halo. The message has
/// the wind that the halo would have to allow for.
Task run_model(Comm& comm, const AdvectionPlan& plan, Result& result, Progress progress,
               const Checkpoints& checkpoints);
/// Runs without checkpoints.
Task run_model(Comm& comm, const AdvectionPlan& plan, Result& result, Progress progress = {});
/// Sends the messages of the same steps; tracers are null. On demand, departure points are computed
/// even so, since they determine the messages.
Task run_skeleton(Comm& comm, const AdvectionPlan& plan);

}  // namespace tradewind::semi_lagrangian

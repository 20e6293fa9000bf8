/// The advection of tracers by the semi-Lagrangian method, on any Comm.
///
/// One step: departure points of all own grid points; the largest displacement of all ranks (an
/// allreduce of one double), which must lie within the halo; the columns around the departure
/// points, from a halo of the fastest wind's width or on demand; interpolation. Both exchanges and
/// all numbers of ranks give the same bits. Sources: zheng2018, section 3.2; the exchange on demand
/// follows IFS.
#pragma once

#include <functional>

#include "tradewind/comm/program.hpp"
#include "tradewind/models/semi_lagrangian/interpolation.hpp"
#include "tradewind/program/checkpoint.hpp"

namespace tradewind::semi_lagrangian {

/// Difference from the known tracer, relative to it, weighted by area.
struct Norms {
    double l1 = 0.0;
    double l2 = 0.0;
    double maximum = 0.0;
};

/// What a run has found; complete on rank 0.
struct Result {
    /// The first tracer at the end, [latitude from the south][longitude][level].
    std::vector<double> tracer;
    /// Whether the exact solution is known at the end.
    bool has_norms = false;
    Norms norms;
    /// Mean over the sphere and all levels, before and after.
    double initial_mean = 0.0;
    double mean = 0.0;
    double lowest = 0.0;
    double highest = 0.0;
    /// Largest displacement per step, as a wind in m/s and in rows of the grid.
    double fastest_wind = 0.0;
    double courant = 0.0;
    /// Of all ranks and steps: columns of the halos, and columns that were sent for them.
    std::int64_t halo_columns = 0;
    std::int64_t sent_columns = 0;
    ColumnTraffic traffic;
};

/// Told on rank 0 of the number of steps done, after each of them; may throw to end the run.
using Progress = std::function<void(std::int64_t steps)>;

/// Runs with data. Throws Error on all ranks if the air comes from beyond the halo, with the wind
/// that it would take.
Task run_model(Comm& comm, const Plan& plan, Result& result, Progress progress,
               const Checkpoints& checkpoints);
/// Runs without checkpoints.
Task run_model(Comm& comm, const Plan& plan, Result& result, Progress progress = {});
/// Sends the messages of the same steps; tracers are null. On demand, departure points are computed
/// all the same, since they decide who asks whom for what.
Task run_skeleton(Comm& comm, const Plan& plan);

}  // namespace tradewind::semi_lagrangian

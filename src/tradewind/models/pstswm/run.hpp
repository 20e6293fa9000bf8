/// The run of the parallel spectral transform shallow water model (PSTSWM, worley1998), on any
/// Comm.
///
/// One step, with the exchanges in brackets; ArrayLayout defines the arrays:
///
///     spectrum --inverse Legendre--> legendre [column] fourier [row] waves --inverse FFT-->
///     lines [row] grid --products--> grid [row] lines --FFT--> waves [row] fourier [column]
///     legendre --Legendre--> spectrum --time step--> spectrum
///
/// If Legendre sums are distributed, the first [column] is missing and the second is an allreduce
/// of the tendencies. Without a model the same messages are sent with null buffers, and `compute`
/// stands for the kernels: the model is its own skeleton.
#pragma once

#include "tradewind/comm/program.hpp"
#include "tradewind/models/pstswm/snapshot.hpp"
#include "tradewind/program/checkpoint.hpp"

namespace tradewind::pstswm {

/// The receiver of a run's output on rank 0.
class SnapshotObserver {
public:
    virtual ~SnapshotObserver() = default;
    virtual void stepped(std::int64_t /*step*/) {}
    virtual void observed(const Snapshot& snapshot) = 0;
};

/// Runs with real data. Throws Error on all ranks if a level is not finite any more, with the level
/// and the step.
Task run_model(Comm& comm, const ShallowWaterPlan& plan, SnapshotObserver& observer,
               const Checkpoints& checkpoints);
/// Runs without checkpoints.
Task run_model(Comm& comm, const ShallowWaterPlan& plan, SnapshotObserver& observer);
/// Sends the messages of the same run without the gathering of fields, and computes nothing.
Task run_skeleton(Comm& comm, const ShallowWaterPlan& plan);

}  // namespace tradewind::pstswm

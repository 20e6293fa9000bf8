/// The time steps as coroutines, with and without data.
#pragma once

#include "tradewind/comm/program.hpp"
#include "tradewind/models/fvwam/snapshot.hpp"
#include "tradewind/program/checkpoint.hpp"

namespace tradewind::fvwam {

/// Follows a run on rank 0; may throw to end it.
class WaveObserver {
public:
    virtual ~WaveObserver() = default;
    virtual void stepped(std::int64_t step) = 0;
    virtual void observed(std::int64_t step, const WaveSnapshot& snapshot) = 0;
};

/// Runs the waves with data. Throws Error on all ranks, naming cell and step, if a value is not
/// finite.
Task run_model(Comm& comm, const WavePlan& plan, WaveObserver& observer,
               const Checkpoints& checkpoints);

/// Sends the messages of the same steps.
Task run_skeleton(Comm& comm, const WavePlan& plan);

}  // namespace tradewind::fvwam

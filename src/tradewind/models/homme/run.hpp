/// The time steps as coroutines, with and without data.
#pragma once

#include "tradewind/comm/program.hpp"
#include "tradewind/models/homme/snapshot.hpp"
#include "tradewind/program/checkpoint.hpp"

namespace tradewind::homme {

/// Follows a run on rank 0; may throw to end it.
class CoreObserver {
public:
    virtual ~CoreObserver() = default;
    virtual void stepped(std::int64_t step) = 0;
    virtual void observed(std::int64_t step, const CoreSnapshot& snapshot) = 0;
};

/// Runs with data. Throws Error on all ranks, naming element and level, if a value is not finite.
Task run_model(Comm& comm, const HommePlan& plan, CoreObserver& observer,
               const Checkpoints& checkpoints);
/// Sends the messages of the same steps and charges their computation.
Task run_skeleton(Comm& comm, const HommePlan& plan);

}  // namespace tradewind::homme

/// RunMemory: how much memory a run with data needs, foretold from its plan.
#pragma once

namespace tradewind::models {

/// Memory of a message: where it is packed, its copy while it is under way in the simulator, and
/// where it arrives. An MPI library needs no more.
inline constexpr double copies_of_message = 3.0;

/// In bytes; real numbers, because a plan may ask for more than any machine has.
struct RunMemory {
    /// Of all ranks together when they hold most: arrays, halos, messages, gathered fields.
    double ranks = 0.0;
    /// Of all fields that the run hands over, wherever they are kept.
    double results = 0.0;
};

}  // namespace tradewind::models

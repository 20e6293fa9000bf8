/// The memory that a run with data needs, estimated from its plan.
#pragma once

namespace tradewind {

/// Memory of a message: where it is packed, its copy while it is under way in the simulator, and
/// where it arrives. An MPI library needs no more.
inline constexpr double copies_of_message = 3.0;

/// Memory in bytes, as real numbers, because a plan may ask for more than any machine has.
struct RunMemory {
    /// The memory of all ranks together when they hold most: arrays, halos, messages, gathered
    /// fields.
    double ranks = 0.0;
    /// The memory of all fields that the run hands over, wherever they are kept.
    double results = 0.0;
};

}  // namespace tradewind

/// The collective calls of a replay.
#pragma once

#include "tradewind/trace/replay_rank.hpp"

namespace tradewind::trace {

[[nodiscard]] bool is_collective(Call call) noexcept;

/// Runs a collective by the algorithm that the plan has for it, on its communicator.
Task run_collective(SubComm& comm, ReplayRank& state, const ReplayPlan& plan, CallView call);

/// Returns whether a nonblocking collective starts all its messages at once: an exchange whose
/// algorithm sends each block by itself.
[[nodiscard]] bool starts_at_once(ReplayRank& state, const ReplayPlan& plan, const CallView& call);
/// Starts it by a burst, as requests of its slot.
void start_collective(ReplayRank& state, const CallView& call);
/// Starts a nonblocking collective whose stages run beside the program, as the request of its slot.
void start_beside(ReplayRank& state, const ReplayPlan& plan, const CallView& call);

}  // namespace tradewind::trace

/// The one-sided calls of a replay.
///
///     fence       own accesses are complete at their targets, then a barrier
///     post        a notice to every origin
///     start       waits for the notices of all targets
///     complete    own accesses are complete at their targets, then a notice to each of them
///     wait        waits for the notices of all origins
///     lock        a request to the target, which answers when the lock is free
///     flush       own accesses are complete at their targets
///     unlock      the same, then a message that frees the lock
///
/// An access is complete at its target when the acknowledgement of its interface has come back, a
/// get when its data have come. The processor of the target does nothing for any of this.
#pragma once

#include "tradewind/trace/replay_rank.hpp"

namespace tradewind::trace {

[[nodiscard]] bool is_one_sided(Call call) noexcept;

/// Makes a one-sided call.
Task run_one_sided(Comm& comm, ReplayRank& state, const ReplayPlan& plan, CallView call);

/// Exposes the windows of all puts with signals of the trace, in the same order on all ranks.
void expose_signals(Comm& comm, const ReplayPlan& plan);
/// Starts a put with a signal.
void start_put(Comm& comm, ReplayRank& state, const CallView& call);

}  // namespace tradewind::trace

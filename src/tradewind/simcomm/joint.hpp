/// The joint work of the processes of one simulation outside the engine.
#pragma once

#include <exception>
#include <functional>
#include <vector>

#include "tradewind/sim/kernel/process_group.hpp"

namespace tradewind::simcomm {

/// Runs `part` on every process. An exception on any of them is thrown on all, with its class if
/// that is one of base/errors.hpp. The first process that throws is heard. Without a group,
/// `part` simply runs.
void run_collectively(sim::ProcessGroup* group, const std::function<void()>& part);

/// Sends `mine` to the first process. Returns there the arrays of all processes, and empty arrays
/// on the others.
[[nodiscard]] std::vector<ByteArray> gather(sim::ProcessGroup& group, const ByteArray& mine);
/// Sends `mine` to all processes. Returns the arrays of all.
[[nodiscard]] std::vector<ByteArray> allgather(sim::ProcessGroup& group, const ByteArray& mine);

}  // namespace tradewind::simcomm

/// Program: what one rank does, as a function that starts a coroutine on its communicator.
#pragma once

#include <functional>

#include "tradewind/comm/task.hpp"

namespace tradewind {

/// Shared by all ranks of a run, so it must not change; what it refers to must outlive the run.
using Program = std::function<Task(Comm&)>;

}  // namespace tradewind

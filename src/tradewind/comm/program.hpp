/// Program: the code of one rank, as a function that starts a coroutine on its communicator.
#pragma once

#include <functional>

#include "tradewind/comm/task.hpp"

namespace tradewind {

/// A function shared by all ranks of a run. It must not change state, and the objects that it
/// refers to must outlive the run.
using Program = std::function<Task(Comm&)>;

}  // namespace tradewind
